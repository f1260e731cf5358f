/** control.openapi.yaml, read once, as what judges the bodies that the control is sent. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

export interface ControlContract {
  /** Of the package. */
  version: string;
  /** What keeps `body` from being what the schema of this name describes, in words; undefined if it is that. */
  schemaProblem(schema: string, body: unknown): string | undefined;
}

let loaded: ControlContract | undefined;

export function loadControlContract(): ControlContract {
  loaded ??= read();
  return loaded;
}

function read(): ControlContract {
  const text = (name: string) =>
    readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${name}`)), 'utf8');
  // JSON has no infinite numbers, but JSON.parse makes one of 1e999.
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, verbose: true });
  addFormats.default(ajv);
  ajv.addSchema(parse(text('control.openapi.yaml')), 'control');
  return {
    version: JSON.parse(text('package.json')).version,
    schemaProblem(schema, body) {
      if (body === undefined) return 'the body is no JSON';
      const validate = ajv.getSchema(`control#/components/schemas/${schema}`);
      if (!validate) throw new Error(`control.openapi.yaml has no schema ${schema}.`);
      if (validate(body)) return undefined;
      const error = mostSpecific(validate.errors);
      const {
        instancePath = '',
        message = 'is not as described',
        params = {},
        keyword,
        parentSchema,
      } = error;
      const { description } = parentSchema ?? {};
      // A regular expression tells nobody what to write instead.
      if (keyword === 'pattern' && description) return `${instancePath} is none of these: ${description}`;
      const named = Object.values(params).flat().join(', ');
      return `${instancePath || 'the body'} ${message}${message.includes(named) ? '' : ` (${named})`}`;
    },
  };
}

/** Of several errors the one that is nearest to the fault: deep, and not of an alternative of another type. */
function mostSpecific(errors: ErrorObject[] | null | undefined): Partial<ErrorObject> {
  const deepest = Math.max(...(errors ?? []).map(({ instancePath }) => instancePath.length));
  const there = (errors ?? []).filter(({ instancePath }) => instancePath.length === deepest);
  return there.find(({ keyword }) => !['type', 'anyOf', 'oneOf', 'if'].includes(keyword)) ?? there[0] ?? {};
}
