/** openapi.yaml, read once and compiled with Ajv; its types say which paths and forms exist. */
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { operations, paths } from 'mrs-contract/openapi';

export type Path = keyof paths;
export type TokenRequest =
  operations['obtainToken']['requestBody']['content']['application/x-www-form-urlencoded'];

/** openapi.yaml as it is read. It is shared: clone it before writing. */
export const contractDocument: Record<string, unknown> = createRequire(import.meta.url)(
  'mrs-contract/openapi.json',
);

// A test checks the schemas themselves, which takes longer than all of this.
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, validateSchema: false });
addFormats.default(ajv);
for (const keyword of ['x-clauses', 'x-assumption']) ajv.addKeyword(keyword);
ajv.addVocabulary(['openapi', 'jsonSchemaDialect', 'info', 'servers', 'security', 'paths', 'components']);
ajv.addVocabulary(['x-ambiguities', 'x-open-points']);
ajv.addSchema(contractDocument, 'openapi.yaml');

/** A way in which a value is not what the contract says: a JSON pointer into the value, a keyword, a sentence. */
export interface Mismatch {
  pointer: string;
  keyword: string;
  message: string;
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
  return [...errors.filter((error) => !isAdditional(error)), ...additional].map(
    ({ instancePath, keyword, message, params }) => ({
      pointer: instancePath,
      keyword,
      message: `${message}${'additionalProperty' in params ? `: ${params.additionalProperty}` : ''}`.slice(
        0,
        200,
      ),
    }),
  );
}
