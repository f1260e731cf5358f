/** Writes the types that are generated from contracts and schemas, if the source is newer: `npm run generate`. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** Each output with its only source. */
const GENERATED = [
  { output: 'openapi.d.ts', source: 'openapi.yaml', options: {} },
  {
    output: 'mocks/control.openapi.d.ts',
    source: 'mocks/control.openapi.yaml',
    options: { immutable: true, defaultNonNullable: false },
  },
];

const root = new URL('../', import.meta.url);
const modified = (name) => statSync(new URL(name, root)).mtimeMs;

for (const { output, source, options } of GENERATED) {
  const file = fileURLToPath(new URL(output, root));
  if (existsSync(file) && modified(output) >= modified(source)) continue;
  try {
    const types = await openapiTypes(new URL(source, root), { silent: true, ...options });
    writeFileSync(file, COMMENT_HEADER + astToString(types));
  } catch (error) {
    console.error(`${output} cannot be generated from ${source}: ${error.message}. Correct ${source}.`);
    process.exitCode = 2;
  }
}

/** Types of the reports. As `.ts`, so that the build carries them into dist/ with what imports them. */
const COMMON = 'tests/report/common.schema.json';
const SCHEMAS = [
  { source: 'tests/server/report/report.schema.json', title: 'ReportSchema' },
  { source: 'tests/client/report/certificate.schema.json', title: 'CertificateSchema' },
  { source: 'tests/feed/report/feed.schema.json', title: 'FeedSchema' },
  { source: 'scripts/judge/report/traffic.schema.json', title: 'TrafficSchema' },
  { source: 'tests/fleet/report/fleet.schema.json', title: 'FleetSchema' },
  { source: 'tests/fleet/inventory.schema.json', title: 'InventorySchema' },
];

const read = (name) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

for (const { source, title } of SCHEMAS) {
  const output = source.replace(/\.json$/, '.ts');
  const file = fileURLToPath(new URL(output, root));
  if (existsSync(file) && modified(output) >= Math.max(modified(source), modified(COMMON))) continue;
  const local = JSON.parse(
    JSON.stringify(read(source)).replaceAll(/[./\w]*report\/common\.schema\.json#/g, '#'),
  );
  const schema = { ...local, title, $defs: { ...read(COMMON).$defs, ...local.$defs } };
  // As a minimum of its own, it would make a union of tuples of what code has as an array.
  const asArrays = (_key, value) =>
    value?.minItems !== undefined && value.minItems !== value.maxItems
      ? { ...value, minItems: undefined }
      : value;
  const types = await compile(JSON.parse(JSON.stringify(schema, asArrays)), title, {
    additionalProperties: false,
    bannerComment: `/** Generated from ${source}. */`,
    maxItems: 2,
    style: { singleQuote: true },
    unreachableDefinitions: false,
  });
  writeFileSync(file, types);
}
