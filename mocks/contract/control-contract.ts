/** control.openapi.yaml, read once and not before it is needed: validates the bodies that the control API receives. */
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { components, operations } from 'mrs-contract/control';
import { nodeOf, operationsIn, resolved } from './document.ts';
import { firstError } from './mock-error.ts';

type Schemas = components['schemas'];

export type Action = Schemas['Action'];
export type ClientTerms = Schemas['ClientTerms'];
export type ClientView = Schemas['Client'];
export type ClockChange = Schemas['Move'];
export type ClockView = Schemas['Clock'];
export type Duration = Schemas['Duration'];
export type Entry = Schemas['Entry'];
export type Expectation = Schemas['Expectation'];
export type ExpireRequest = Schemas['ExpireRequest'];
export type ScriptedAnswer = Schemas['ScriptedAnswer'];
export type ScriptedOperation = NonNullable<Step['on']>;
export type Step = Schemas['Step'];
export type TokenStatus = Schemas['TokenStatus'];
export type Verified = Schemas['Verified'];

/** Selects exchanges of the journal. */
export interface Filter extends Omit<Expectation, 'reason' | 'atLeast' | 'atMost' | 'exactly'> {
  /** As in an entry of the journal. */
  readonly reason?: string;
  /** Only the latest exchanges, at most this number. */
  readonly limit?: number;
}

/** An operation of the control API. */
export interface ControlOperation {
  id: keyof operations;
  /** In capitals, as on the wire. */
  method: string;
  path: string;
  /** Answered without the key. */
  open?: true;
  /** Name of the schema of its body. */
  takes?: string;
  /** The schema of its query, if it has one. */
  query?: { properties: Readonly<Record<string, object>>; required: readonly string[] };
}

/** Whether a parameter is a number, which a query has as digits. */
export const isNumber = (schema: object | undefined): boolean => nodeOf(schema).type === 'integer';

const require = createRequire(import.meta.url);

/** Of the package. */
export const version = (): string => require('mrs-contract/package.json').version;

/** Many mocks never need the schemas, and they take as long to read as all the rest. */
let schemas: Ajv2020 | undefined;

/** Why `body` does not match the schema of this name, in words; undefined if it matches. */
export function schemaProblem(schema: string, body: unknown): string | undefined {
  if (body === undefined) return 'The body is not JSON';
  schemas ??= readSchemas();
  const validate = schemas.getSchema(`control#/components/schemas/${schema}`);
  if (!validate) throw new Error(`control.openapi.yaml has no schema ${schema}.`);
  return validate(body) ? undefined : firstError(validate.errors, 'The body', placeIn);
}

/** A member as a user has it: `step 1: do.expire` in a script, whose steps are counted from 1. */
const placeIn = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/^(?:script\/)?(\d+)(\/?)/, (_, nth, more) => `Step ${Number(nth) + 1}${more && ': '}`)
    .replaceAll('/', '.');

const ofQuery = new Map<string, ValidateFunction>();

/** The same of the query of an operation, whose numbers are numbers. */
export function queryProblem(id: keyof operations, query: object): string | undefined {
  schemas ??= readSchemas();
  const schema = {
    ...controlOperations().find((one) => one.id === id)?.query,
    ...{ type: 'object', additionalProperties: false },
  };
  const validate = ofQuery.get(id) ?? schemas.compile(schema);
  ofQuery.set(id, validate);
  return validate(query) ? undefined : firstError(validate.errors, 'The query', placeIn);
}

let known: ControlOperation[] | undefined;

export function controlOperations(): readonly ControlOperation[] {
  known ??= readOperations();
  return known;
}

function readOperations(): ControlOperation[] {
  const document = require('mrs-contract/control.openapi.json');
  return operationsIn(document).map(({ path, method, node }): ControlOperation => {
    const { operationId: id, security, requestBody, parameters = [] } = node;
    const query = (parameters as unknown[])
      .map((one) => nodeOf(resolved(document, one)))
      .filter((one) => one.in === 'query');
    const { schema } = nodeOf(nodeOf(nodeOf(requestBody).content)['application/json']);
    const { $ref: reference } = nodeOf(schema);
    return {
      ...{ id: id as keyof operations, method, path },
      ...(security !== undefined && { open: true as const }),
      ...(query.length > 0 && {
        query: {
          properties: Object.fromEntries(query.map(({ name, schema }) => [name, resolved(document, schema)])),
          required: query.flatMap(({ name, required }) => (required ? [String(name)] : [])),
        },
      }),
      ...(reference !== undefined && { takes: String(reference).replace(/^.*\//, '') }),
    };
  });
}

function readSchemas(): Ajv2020 {
  // JSON has no infinite numbers, but JSON.parse reads 1e999 as one.
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, verbose: true, validateSchema: false });
  addFormats.default(ajv);
  return ajv.addSchema(require('mrs-contract/control.openapi.json'), 'control');
}
