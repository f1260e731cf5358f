/**
 * JSON schemas that this project wrote. They are not checked against the schema of schemas, which takes 50 ms: Ajv
 * itself refuses keywords that it does not know, and wrong values of those that it knows.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** `others`: schemas that it refers to, by the name by which it does. */
export function compileOwn<T>(
  schema: object,
  others: Readonly<Record<string, object>> = {},
): ValidateFunction<T> {
  const ajv = new Ajv2020({ strict: false, strictSchema: true, validateSchema: false });
  addFormats.default(ajv);
  for (const [name, other] of Object.entries(others)) ajv.addSchema(other, name);
  return ajv.compile<T>(schema);
}

/** Compiles the schema when the first value comes. */
export function guardOf<T>(schema: object): (value: unknown) => value is T {
  let validate: ValidateFunction<T> | undefined;
  return (value): value is T => {
    validate ??= compileOwn<T>(schema);
    return validate(value);
  };
}

/** A schema of an object with these members, and no others if it `isClosed`. `name?` may be absent. */
export const objectOf = (members: Readonly<Record<string, object>>, isClosed = false): object => ({
  type: 'object',
  ...(isClosed && { additionalProperties: false }),
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(Object.entries(members).map(([name, one]) => [name.replace('?', ''), one])),
});
