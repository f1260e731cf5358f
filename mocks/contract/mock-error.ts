/** Why the mock refuses what it is given. */
import type { ErrorObject } from 'ajv';
import { closest, distance } from 'fastest-levenshtein';

/** A problem with the mock's options or contract that the user can fix. The message is a sentence. */
export class MockError extends Error {
  override name = 'MockError';
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  string: 'a text',
};

/**
 * The first error of Ajv (with `verbose`): the member that it is about, its value and what is right. `whole` is what was
 * validated, `placeOf` words for a JSON pointer into it.
 */
export function firstError(
  errors: readonly Partial<ErrorObject>[] | null | undefined,
  whole: string,
  placeOf = (pointer: string) => pointer,
): string {
  const [error = {}] = errors ?? [];
  const { instancePath = '', message = 'is invalid', params = {}, keyword = '', data, propertyName } = error;
  const place = instancePath === '' ? whole : placeOf(instancePath);
  const { description, properties = {} } = (error.parentSchema ?? {}) as {
    description?: string;
    properties?: object;
  };
  const names = Object.keys(properties);
  const {
    additionalProperty: stranger = '',
    missingProperty,
    allowedValues,
    allowedValue,
    limit,
    type,
  } = params;
  const is =
    typeof data === 'object' || data === undefined
      ? place
      : `${place} is ${JSON.stringify(data).slice(0, 60)}`;
  if (keyword === 'additionalProperties') {
    const advice = nearestInWords(stranger, names) || (names.length === 0 ? '' : `Use ${OR.format(names)}. `);
    return `${place} has "${String(stranger).slice(0, 60)}", which has no meaning there. ${advice}`
      .trimEnd()
      .replace(/\.$/, '');
  }
  if (keyword === 'required') return `${place} has no "${missingProperty}"`;
  if (keyword === 'minProperties') return `${place} is empty. Use ${OR.format(names)}`;
  if (propertyName && allowedValues)
    return `${place} must not have ${propertyName} here. Use ${OR.format(allowedValues)}`;
  if (allowedValues) return `${is}. Use ${OR.format(allowedValues.map(String))}`;
  if (keyword === 'const') return `${is}. Use ${JSON.stringify(allowedValue)}, or leave it out`;
  // A regular expression does not help a user to write a valid value.
  if (keyword === 'pattern' && description) return `${is}. Use ${description}`;
  if (keyword === 'format') return `${is}. Use a time such as 2030-01-01T00:00:00Z`;
  if (keyword === 'minimum') return `${is}. Use ${limit} or more`;
  if (keyword === 'maximum') return `${is}. Use ${limit} or less`;
  if (keyword === 'type')
    return `${place} must be ${[type]
      .flat()
      .map((one) => TYPES[one] ?? `a ${one}`)
      .join(' or ')}`;
  return `${place} ${message}`;
}

/** The one of `known` that a user meant by `word`; undefined where none is near, since half of its letters would be wrong. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  const nearest = known.find((one) => word !== '' && one.startsWith(word)) ?? closest(word, known);
  return distance(word, nearest) < word.length / 2 || nearest.startsWith(word) ? nearest : undefined;
}

/** The same as a sentence that another follows; empty where none is near. */
export function nearestInWords(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? '' : `The nearest is "${nearest}". `;
}
