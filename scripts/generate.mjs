/** Writes what is generated from contracts, the ledger and schemas, if the source is newer: `npm run generate`. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { parse } from 'yaml';

const typesWith = (options) => async (source) =>
  COMMENT_HEADER + astToString(await openapiTypes(source, { silent: true, ...options }));
/** For what commands read at their start: JSON takes a hundredth of the time of YAML. */
const asJson = (source) => JSON.stringify(parse(readFileSync(source, 'utf8')));

/** Each output with its only source. */
const GENERATED = [
  { output: 'openapi.d.ts', source: 'openapi.yaml', generate: typesWith({}) },
  {
    output: 'mocks/control.openapi.d.ts',
    source: 'mocks/control.openapi.yaml',
    generate: typesWith({ immutable: true, defaultNonNullable: false }),
  },
  { output: 'dist/openapi.json', source: 'openapi.yaml', generate: asJson },
  { output: 'dist/control.openapi.json', source: 'mocks/control.openapi.yaml', generate: asJson },
  { output: 'dist/requirements.json', source: 'tests/requirements.yaml', generate: asJson },
  { output: 'dist/feed-rules.json', source: 'tests/feed-rules.yaml', generate: asJson },
  { output: 'dist/feed-corpus.json', source: 'tests/feed/corpus/feeds.yaml', generate: asJson },
  { output: 'dist/client-rules.json', source: 'tests/client-rules.yaml', generate: asJson },
];

const root = new URL('../', import.meta.url);
const modified = (name) => statSync(new URL(name, root)).mtimeMs;

mkdirSync(new URL('dist', root), { recursive: true });
for (const { output, source, generate } of GENERATED) {
  const file = fileURLToPath(new URL(output, root));
  if (existsSync(file) && modified(output) >= modified(source)) continue;
  try {
    writeFileSync(file, await generate(new URL(source, root)));
  } catch (error) {
    console.error(`${output} cannot be generated from ${source}: ${error.message}. Correct ${source}.`);
    process.exitCode = 2;
  }
}

/** Types of the reports. As `.ts`, so that the build carries them into dist/ with what imports them. */
const SCHEMAS = [
  { source: 'tests/report/report.schema.json', title: 'ReportSchema' },
  { source: 'scripts/fleet/fleet-file.schema.json', title: 'FleetFileSchema' },
];

const read = (name) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

for (const { source, title } of SCHEMAS) {
  const output = source.replace(/\.json$/, '.ts');
  const file = fileURLToPath(new URL(output, root));
  if (existsSync(file) && modified(output) >= modified(source)) continue;
  const schema = { ...read(source), title };
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
