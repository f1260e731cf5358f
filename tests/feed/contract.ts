/** What a profile says of records: where their list is, the schema of one, and which instruments stand where. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { UsageError } from '../support/usage-error.ts';
import { escapedToken } from './findings.ts';

/** Where an instrument is known to stand. */
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
  /** The first way in which a value is not what the schema says. */
  faultOf(value: unknown): ErrorObject | undefined;
}

export interface FeedContract {
  /** The names that lead to the list of records; none where the body itself is the list. */
  list: readonly string[];
  /** In the order of their names. */
  fields: readonly Field[];
  fieldNames: ReadonlySet<string>;
  /** The first way in which a record is not what the schema says. */
  faultOf(record: unknown): ErrorObject | undefined;
  legacyFields: readonly string[];
  sites: readonly Site[];
}

interface Records {
  list: string;
  schema: string;
  legacyFields?: string[];
  sites?: Site[];
}

type Node = Record<string, unknown>;

/**
 * Reads it from a merged OpenAPI document. Undefined where the document says nothing of records (`x-records`). Throws
 * UsageError where what it says cannot be used.
 */
export function feedContractOf(document: unknown): FeedContract | undefined {
  const records = asNode(document)['x-records'];
  if (records === undefined) return undefined;
  const { list, schema: name, legacyFields = [], sites = [] } = records as Records;
  if (typeof list !== 'string' || (list !== '' && !list.startsWith('/')))
    throw new UsageError(
      `x-records/list is ${JSON.stringify(list)}. Write a JSON pointer, such as /ods_data.`,
    );
  const schemas = asNode(asNode(asNode(document).components).schemas);
  const pointer = `/components/schemas/${escapedToken(String(name))}`;
  const schema = asNode(schemas[name]);
  const properties = asNode(schema.properties);
  if (Object.keys(properties).length === 0)
    throw new UsageError(
      `x-records/schema is ${JSON.stringify(name)}, and ${pointer} declares no properties.`,
    );

  const compile = compilerFor(document as Node);
  const whole = compile(pointer);
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
      faultOf: firstFault(compile(`${pointer}/properties/${escapedToken(field)}`)),
    }));
  return {
    list: list.split('/').slice(1).map(unescapedToken),
    fields,
    fieldNames: new Set(fields.map((field) => field.name)),
    faultOf: firstFault(whole),
    legacyFields,
    sites,
  };
}

/** Ajv stops at the first fault of each: a record can be wrong in as many ways as it has bytes. */
function compilerFor(document: Node): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'profile');
  return (pointer) => {
    try {
      return ajv.compile({ $ref: `profile#${encodeURI(pointer)}` });
    } catch (error) {
      throw new UsageError(
        `${pointer} is no schema that records can be judged by: ${(error as Error).message}.`,
      );
    }
  };
}

const firstFault = (validate: ValidateFunction) => (value: unknown) =>
  validate(value) ? undefined : (validate.errors?.[0] ?? undefined);

const asNode = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {});
const unescapedToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');
