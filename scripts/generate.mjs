/**
 * Writes what is generated from contracts, the ledger and schemas, if the source or the output has changed since:
 * `npm run generate`. Times of files do not count: a merge can bring an older source that is new here.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Each generator loads what it needs: on most builds, nothing is to be generated.
const typesWith = (options) => async (source) => {
  const { default: openapiTypes, astToString, COMMENT_HEADER } = await import('openapi-typescript');
  return COMMENT_HEADER + astToString(await openapiTypes(source, { silent: true, ...options }));
};
/** For what commands read at their start: JSON takes a hundredth of the time of YAML. */
const asJson = async (source) => {
  const { parse } = await import('yaml');
  return JSON.stringify(parse(readFileSync(source, 'utf8')));
};
/** Types of a report. As `.ts`, so that the build carries them into dist/ with what imports them. */
const typesOf = (title) => async (source) => {
  const { compile } = await import('json-schema-to-typescript');
  // As a minimum of its own, it would make a union of tuples of what code has as an array.
  const asArrays = (_key, value) =>
    value?.minItems !== undefined && value.minItems !== value.maxItems
      ? { ...value, minItems: undefined }
      : value;
  const schema = JSON.parse(JSON.stringify(JSON.parse(readFileSync(source, 'utf8')), asArrays));
  return compile({ ...schema, title }, title, {
    additionalProperties: false,
    bannerComment: `/** Generated from ${fileURLToPath(source).slice(fileURLToPath(root).length)}. */`,
    maxItems: 2,
    style: { singleQuote: true },
    unreachableDefinitions: false,
  });
};

/** Each output with its only source. */
const GENERATED = [
  ['openapi.d.ts', 'openapi.yaml', typesWith({})],
  [
    'mocks/control.openapi.d.ts',
    'mocks/control.openapi.yaml',
    typesWith({ immutable: true, defaultNonNullable: false }),
  ],
  ['dist/openapi.json', 'openapi.yaml', asJson],
  ['dist/control.openapi.json', 'mocks/control.openapi.yaml', asJson],
  ['dist/requirements.json', 'tests/requirements.yaml', asJson],
  ['dist/feed-rules.json', 'tests/feed-rules.yaml', asJson],
  ['dist/watch-rules.json', 'tests/watch-rules.yaml', asJson],
  ['dist/feed-corpus.json', 'tests/feed/corpus/feeds.yaml', asJson],
  ['dist/client-rules.json', 'tests/client-rules.yaml', asJson],
  ['tests/report/report.schema.ts', 'tests/report/report.schema.json', typesOf('ReportSchema')],
  ['scripts/fleet/fleet-file.schema.ts', 'scripts/fleet/fleet-file.schema.json', typesOf('FleetFileSchema')],
];

const root = new URL('../', import.meta.url);
/** What each output was when it was last written, with its source and this program. */
const stamps = new URL('dist/generated.json', root);
const known = existsSync(stamps) ? JSON.parse(readFileSync(stamps, 'utf8')) : {};
const stampOf = (...files) => {
  const hash = createHash('sha256');
  for (const file of [...files, new URL(import.meta.url)])
    hash.update(existsSync(file) ? readFileSync(file) : 'missing');
  return hash.digest('hex');
};

mkdirSync(new URL('dist', root), { recursive: true });
for (const [output, source, generate] of GENERATED) {
  const [to, from] = [output, source].map((name) => new URL(name, root));
  if (existsSync(to) && known[output] === stampOf(from, to)) continue;
  try {
    writeFileSync(to, await generate(from));
    known[output] = stampOf(from, to);
    writeFileSync(stamps, JSON.stringify(known));
  } catch (error) {
    console.error(`${output} cannot be generated from ${source}: ${error.message}. Correct ${source}.`);
    process.exitCode = 2;
  }
}
