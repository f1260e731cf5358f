/** Writes the types that are generated from contracts, where the contract is newer: `npm run generate`. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
