/** Why the mock refuses what it is given. */
import type { ErrorObject } from 'ajv';

/** A problem with the mock's options or contract that the user can fix. The message is a sentence. */
export class MockError extends Error {
  override name = 'MockError';
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The first error of Ajv, with the names and values that it is about; `whole` is what was validated. */
export function firstError(
  errors: readonly Partial<ErrorObject>[] | null | undefined,
  whole: string,
): string {
  const [
    { instancePath = '', message = 'is invalid', params = {}, keyword, parentSchema, propertyName } = {},
  ] = errors ?? [];
  // A regular expression does not help a user to write a valid value.
  const { description } = parentSchema ?? {};
  if (keyword === 'pattern' && description) return `${instancePath} must be ${description}`;
  const values = Object.values(params).flat();
  const named = values.join(', ');
  if (keyword === 'enum' && propertyName)
    return `${instancePath} must not have ${propertyName} here. Use ${OR.format(values)}.`;
  return `${instancePath || whole} ${message}${message.includes(named) ? '' : ` (${named})`}`;
}
