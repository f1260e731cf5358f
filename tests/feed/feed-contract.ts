/** What a profile declares about records: where their list is, the schema of one, and where instruments are. */
import { append, pointerSegments } from '@hyperjump/json-pointer';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { UsageError } from '../support/usage-error.ts';

/** The known position of an instrument. */
export interface Site {
  id: string;
  latDeg: number;
  lonDeg: number;
  elM: number;
  source?: string;
}

export interface Field {
  name: string;
  isRequired: boolean;
  isNumber: boolean;
  /** By its name: every `…_utc` is a time. */
  isTime: boolean;
  /** The first violation of the field's schema by a value. */
  problemOf(value: unknown): ErrorObject | undefined;
}

export interface FeedContract {
  /** JSON pointer to the list of records (RFC 6901); empty where the body itself is the list. */
  listPointer: string;
  /** The member names of that pointer. */
  listPath: readonly string[];
  /** Sorted by name. */
  fields: readonly Field[];
  fieldNames: ReadonlySet<string>;
  /** The first violation of the schema by a record. */
  problemOf(record: unknown): ErrorObject | undefined;
  legacyFields: readonly string[];
  sites: readonly Site[];
}

interface RecordsDeclaration {
  list: unknown;
  schema: unknown;
  legacyFields?: string[];
  sites?: Site[];
}

type Node = Record<string, unknown>;

/**
 * Reads the contract from a merged OpenAPI document. Undefined where the document declares nothing about records
 * (`x-records`). Throws UsageError where the declaration is invalid.
 */
export function feedContractOf(document: unknown): FeedContract | undefined {
  const declaration = asNode(document)['x-records'];
  if (declaration === undefined) return undefined;
  const { list, schema: name, legacyFields = [], sites = [] } = declaration as RecordsDeclaration;
  const listPath = segmentsOf(list);
  const schema = asNode(asNode(asNode(asNode(document).components).schemas)[String(name)]);
  const pointer = append(String(name), '/components/schemas');
  const properties = asNode(schema.properties);
  if (Object.keys(properties).length === 0)
    throw new UsageError(
      `x-records/schema is ${JSON.stringify(name)}, but ${pointer} declares no properties. ` +
        'Name a schema under /components/schemas.',
    );

  const compile = compilerFor(document as Node);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.keys(properties)
    .sort()
    .map((field) => ({
      name: field,
      isRequired: required.includes(field),
      isNumber: [asNode(properties[field]).type]
        .flat()
        .some((type) => type === 'number' || type === 'integer'),
      isTime: field.endsWith('_utc'),
      problemOf: firstProblem(compile(append(field, `${pointer}/properties`))),
    }));
  return {
    listPointer: list as string,
    listPath,
    fields,
    fieldNames: new Set(fields.map((field) => field.name)),
    problemOf: firstProblem(compile(pointer)),
    legacyFields,
    sites,
  };
}

function segmentsOf(list: unknown): string[] {
  try {
    if (typeof list === 'string') return [...pointerSegments(list)];
  } catch {} // It is refused below.
  throw new UsageError(`x-records/list is ${JSON.stringify(list)}. Write a JSON pointer, such as /ods_data.`);
}

/** Each validator stops at its first error: a record can have as many errors as bytes. */
function compilerFor(document: Node): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'profile');
  return (pointer) => {
    try {
      return ajv.compile({ $ref: `profile#${encodeURI(pointer)}` });
    } catch (error) {
      throw new UsageError(
        `${pointer} is not a schema that records can be validated against: ${(error as Error).message}.`,
      );
    }
  };
}

const firstProblem = (validate: ValidateFunction) => (value: unknown) =>
  validate(value) ? undefined : (validate.errors?.[0] ?? undefined);

const asNode = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {});
