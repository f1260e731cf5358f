/** openapi.yaml, read once and compiled with Ajv; its types say which paths and forms exist. */
import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { operations, paths } from 'mrs-contract/openapi';
import { createAjv } from '../../support/own-schema.ts';

export type Path = keyof paths;
export type TokenRequest =
  operations['obtainToken']['requestBody']['content']['application/x-www-form-urlencoded'];

/** openapi.yaml as it is read. It is shared: clone it before writing. */
export const contractDocument: Record<string, unknown> = createRequire(import.meta.url)(
  'mrs-contract/openapi.json',
);

// A test checks the schemas themselves, which takes longer than all of this.
const ajv = createAjv({ allErrors: true, strict: false, logger: false, validateSchema: false });
ajv.addSchema(contractDocument, 'openapi.yaml');

/** A way in which a value is not what the contract says. */
export interface Mismatch {
  /** JSON pointer into the value. */
  pointer: string;
  /** Of JSON Schema; `twice` for a member that is there twice. */
  keyword: string;
  /** What the contract expects, as a noun phrase. */
  expected: string;
}

export const mismatchOf = (error: ErrorObject): Mismatch => ({
  pointer: error.instancePath,
  keyword: error.keyword,
  expected: expectationOf(error).slice(0, 200),
});

/** What a schema expects, in the words of a reader. */
function expectationOf({ instancePath, keyword, message, params }: ErrorObject): string {
  const where = instancePath === '' ? '' : ` in ${instancePath}`;
  const field = `the field ${instancePath.slice(1)}`;
  if (keyword === 'required') return `the field ${params.missingProperty}${where}`;
  if (keyword === 'additionalProperties')
    return `no further field${where}, but there is ${params.additionalProperty}`;
  if (keyword === 'type' && instancePath === '') return `a JSON ${params.type}`;
  if (keyword === 'type') return `${field} to be of type ${params.type}`;
  if (keyword === 'minLength') return `${field} not to be empty`;
  return `that ${instancePath || 'the body'} ${message}`;
}

/** The most additional fields that are reported: a deployment can send any number of them. */
const MAX_ADDITIONAL = 20;

const tokenResponse = ajv.compile({ $ref: 'openapi.yaml#/components/schemas/TokenResponse' });

/** In which ways `value` is not the contract's TokenResponse (clauses 2 and 4.1). Empty when it is. */
export function tokenResponseMismatches(value: unknown): Mismatch[] {
  tokenResponse(value);
  const errors = tokenResponse.errors ?? [];
  const isAdditional = ({ keyword }: { keyword: string }) => keyword === 'additionalProperties';
  const additional = errors.filter(isAdditional).slice(0, MAX_ADDITIONAL);
  return [...errors.filter((error) => !isAdditional(error)), ...additional].map(mismatchOf);
}
