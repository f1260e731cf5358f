/** The contract's schemas and examples, judged by Ajv: JSON Schema 2020-12, strict. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asMembers, childrenOf, followed, type Located, type Members, membersOf } from './json-members.ts';

/** Where a schema is not valid, or holds a keyword that strict mode does not know: a misspelt one passes all. */
export function schemaFaults(contract: Members, ajv = ajvWith(contract)): string[] {
  return [...membersOf(contract)].filter(isSchema).flatMap((schema) => {
    try {
      if (!ajv.validateSchema(asMembers(schema.value))) throw new Error(inWords(ajv.errors));
      compiled(ajv, schema.pointer);
      return [];
    } catch (error) {
      return `openapi.yaml#${schema.pointer}: the schema does not compile: ${(error as Error).message}. Correct it.`;
    }
  });
}

/** Where an example does not fit the schema next to it. */
export function exampleFaults(contract: Members, ajv = ajvWith(contract)): string[] {
  return [...membersOf(contract)].flatMap((located) => {
    if (!('schema' in asMembers(located.value))) return [];
    return examplesIn(contract, located).flatMap(({ pointer, value }) => {
      if (value === undefined) return `openapi.yaml#${pointer}: the example has no value. Give it one.`;
      try {
        const fits = compiled(ajv, `${located.pointer}/schema`);
        if (fits(value)) return [];
        return `openapi.yaml#${pointer}: the example does not fit its schema: ${inWords(fits.errors)}. Correct it.`;
      } catch {
        return []; // The schema itself is the fault; schemaFaults reports it.
      }
    });
  });
}

/** The values of the examples of a media type, a header or a parameter. */
function examplesIn(contract: Members, holder: Located): Located[] {
  const children = childrenOf(holder);
  const named = children.filter(({ key }) => key === 'examples').flatMap(childrenOf);
  return [
    ...children.filter(({ key }) => key === 'example'),
    ...named
      .map((example) => followed(contract, example))
      .map(({ pointer, value }) => ({
        pointer: `${pointer}/value`,
        key: 'value',
        value: asMembers(value).value,
      })),
  ];
}

const isSchema = ({ pointer, key }: Located): boolean =>
  key === 'schema' || /^\/components\/schemas\/[^/]+$/.test(pointer);

/** The document is one big schema to Ajv, so that `$ref` finds its way; its own keys are no schema's keywords. */
export function ajvWith(contract: Members): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  const extensions = [...membersOf(contract)].map(({ key }) => key).filter((key) => key.startsWith('x-'));
  ajv.addVocabulary([...new Set([...Object.keys(contract), ...extensions])]);
  ajv.addSchema(contract, 'contract');
  return ajv;
}

const compiled = (ajv: Ajv2020, pointer: string) => ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });

const inWords = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join('; ');
