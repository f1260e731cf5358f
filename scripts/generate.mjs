/** Writes the types that are generated from contracts, where the contract is newer: `npm run generate`. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** Each output with its only source. */
const GENERATED = [{ output: 'openapi.d.ts', source: 'openapi.yaml', generate: typesOfContract }];

const root = new URL('../', import.meta.url);
const modified = (name) => statSync(new URL(name, root)).mtimeMs;

/** @param {URL} source */
async function typesOfContract(source) {
  return COMMENT_HEADER + astToString(await openapiTypes(source, { silent: true }));
}

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
