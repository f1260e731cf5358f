/** What a profile declares about records: where their list is, the schema of one, and where instruments are. */
import { append, pointerSegments } from '@hyperjump/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { type Node, nodeOf } from '../support/json/values.ts';
import { createAjv } from '../support/own-schema.ts';
import { UsageError } from '../support/usage-error.ts';

/** The known position of an instrument. */
export interface Site {
  id: string;
  /** Other names of it, such as that of its observatory. */
  aliases?: readonly string[];
  latDeg: number;
  lonDeg: number;
  elM: number;
  /** How far its antennas are from there, in degrees, where that is kilometres. */
  extentDeg?: number;
  /** Whether it is one dish, which points one way at a time. */
  isSingleDish?: boolean;
  /** The diameter of its dishes, in metres, where all have the same. */
  dishM?: number;
  /** The lowest and the highest frequency of its receivers, where a source says which it has. */
  receiversHz?: readonly [lowerHz: number, upperHz: number];
}

export interface Field {
  name: string;
  isRequired: boolean;
  isNumber: boolean;
  /** By its name: every `…_utc` is a time. */
  isTime: boolean;
}

/** The fields of a record in one version of the format. */
export interface RecordSchema {
  /** Sorted by name. */
  fields: readonly Field[];
  fieldNames: ReadonlySet<string>;
  /** Of a record. */
  problemOf: Validate;
  /** Of an object with some of the fields. */
  problemOfFields: Validate;
}

/** The predecessor of the schema. */
export interface LegacySchema extends RecordSchema {
  /** A record with one of these names, and without a version, follows the predecessor. */
  marks: readonly string[];
  /** Whether records may follow it. */
  isPermitted: boolean;
}

export interface FeedContract extends RecordSchema {
  /** JSON pointer to the list of records (RFC 6901); empty where the body itself is the list. */
  listPointer: string;
  /** The member names of that pointer. */
  listPath: readonly string[];
  /** Absent where the profile declares no predecessor. */
  legacy?: LegacySchema;
  /** The versions that a record may name; none if any is right. */
  versions: readonly string[];
  sites: readonly Site[];
}

/** The member `x-records` of a profile. */
interface RecordsDeclaration {
  list: unknown;
  schema: unknown;
  legacyFields?: string[];
  legacy?: { required: string[]; properties?: Node; isPermitted?: boolean };
  versions?: string[];
  sites?: Site[];
  otherSites?: Site[];
}

/** The first violation by a value. */
type Validate = (value: unknown) => ErrorObject | undefined;

/**
 * Reads the contract from a merged OpenAPI document. Undefined where the document declares nothing about records
 * (`x-records`). Throws UsageError where the declaration is invalid.
 */
export function feedContractOf(document: unknown): FeedContract | undefined {
  const { 'x-records': declaration, components } = nodeOf(document);
  if (declaration === undefined) return undefined;
  const { list, schema: name, legacyFields = [], legacy, ...known } = declaration as RecordsDeclaration;
  const schema = nodeOf(nodeOf(nodeOf(components).schemas)[String(name)]);
  const pointer = append(String(name), '/components/schemas');
  const properties = nodeOf(schema.properties);
  if (Object.keys(properties).length === 0)
    throw new UsageError(
      `x-records/schema is ${JSON.stringify(name)}, but ${pointer} declares no properties. ` +
        'Name a schema under /components/schemas.',
    );
  const compile = compilerFor(components);
  const old = { ...schema, required: legacy?.required, properties: { ...properties, ...legacy?.properties } };
  return {
    listPointer: list as string,
    listPath: segmentsOf(list),
    ...recordSchema(schema, (one) => compile(one, pointer)),
    ...(legacy && {
      legacy: {
        ...recordSchema(old, (one) => compile(one, '/x-records/legacy')),
        ...{ marks: legacyFields, isPermitted: legacy.isPermitted === true },
      },
    }),
    versions: known.versions ?? [],
    sites: [...(known.sites ?? []), ...(known.otherSites ?? [])],
  };
}

function recordSchema(schema: Node, compile: (schema: Node) => Validate): RecordSchema {
  const properties = nodeOf(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(properties).sort();
  const fields = names.map((name) => ({
    name,
    isRequired: required.includes(name),
    isNumber: [nodeOf(properties[name]).type].flat().some((type) => type === 'number' || type === 'integer'),
    isTime: name.endsWith('_utc'),
  }));
  /** Made on first use: it takes milliseconds, and most feeds do not need it. */
  let ofFields: Validate | undefined;
  return {
    ...{ fields, fieldNames: new Set(names), problemOf: compile(schema) },
    problemOfFields(value) {
      ofFields ??= compile({ properties });
      return ofFields(value);
    },
  };
}

function segmentsOf(list: unknown): string[] {
  try {
    if (typeof list === 'string') return [...pointerSegments(list)];
  } catch {} // It is refused below.
  throw new UsageError(`x-records/list is ${JSON.stringify(list)}. Write a JSON pointer, such as /ods_data.`);
}

/**
 * Each validator stops at its first error: a record can have as many errors as bytes. `pointer` is where the schema is in
 * the profile, for messages.
 */
function compilerFor(components: unknown): (schema: Node, pointer: string) => Validate {
  const ajv = createAjv({ strict: false, strictNumbers: true, validateSchema: false, logger: false });
  return (schema, pointer) => {
    try {
      // Its references are into the profile.
      const validate = ajv.compile({ components, ...schema });
      return (value) => (validate(value) ? undefined : validate.errors?.[0]);
    } catch (error) {
      throw new UsageError(
        `${pointer} is not a schema that records can be validated against: ${(error as Error).message}.`,
      );
    }
  };
}
