/** JSON schemas that this project wrote: Ajv refuses unknown keywords, and the check by the schema of schemas takes 50 ms. */
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Ajv with the formats of JSON Schema. */
export const createAjv = (options: Options): Ajv2020 => addFormats.default(new Ajv2020(options)) as Ajv2020;

export const compileOwn = <T>(schema: object): ValidateFunction<T> =>
  createAjv({ strict: false, strictSchema: true, validateSchema: false }).compile<T>(schema);

/** The first fault that a validator found, in words; `whole` names the value where all of it is wrong. */
export function faultIn({ errors }: ValidateFunction, whole: string): string {
  const [{ instancePath = '', message = '' } = {}] = errors ?? [];
  return `${instancePath || whole} ${message}`;
}

/** Compiles the schema when the first value comes. */
export function guardOf<T>(schema: object): (value: unknown) => value is T {
  let validate: ValidateFunction<T> | undefined;
  return (value): value is T => {
    validate ??= compileOwn<T>(schema);
    return validate(value);
  };
}

/** A schema of a list. */
export const listOf = (items: object = {}): object => ({ type: 'array', items });

/** A schema of an object with these members, and no others if it `isClosed`. `name?` may be absent. */
export const objectOf = (members: Readonly<Record<string, object>>, isClosed = false): object => ({
  type: 'object',
  ...(isClosed && { additionalProperties: false }),
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(Object.entries(members).map(([name, one]) => [name.replace('?', ''), one])),
});
