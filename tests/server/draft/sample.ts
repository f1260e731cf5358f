/** What a draft makes of the shape of a body: a JSON Schema, and a body for a mock to send, without what is private. */
import { onNewYear, type Shape } from '../support/json.ts';

/** As JSON Schema. Members may always be added; what was only ever null or empty may be anything. */
export function schemaOf({ types, members = {}, required = [], items }: Shape): Record<string, unknown> {
  if (types.every((type) => type === 'null')) return {};
  const properties = Object.entries(members).map(([name, member]) => [name, schemaOf(member)]);
  return {
    type: types.length === 1 ? types[0] : types,
    ...(required.length > 0 && { required: [...required].sort() }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(items && { items: schemaOf(items) }),
  };
}

/** Its value is another one each time. */
const VARIES =
  /(request|trace|correlation|span|session|event|error)[-_]?id$|^(id|instance|nonce)$|time|date/i;

/** A body of this shape, for a mock to send. `isData`: it holds nothing that was seen, except the form of times. */
export function sampleOf(shape: Shape, isData = false, name = ''): unknown {
  const { types, members = {}, items, value, time } = shape;
  const type = types.find((one) => one !== 'null') ?? 'null';
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(members).map(([one, member]) => [one, sampleOf(member, isData, one)]),
    );
  // Two of them show which members each has.
  if (type === 'array')
    return items ? Array((items.required ?? []).length > 0 ? 2 : 1).fill(sampleOf(items, isData)) : [];
  if (type === 'number') return 0;
  if (type === 'null') return null;
  if (type === 'boolean') return !isData && value === true;
  if (time !== undefined) return time;
  return isData || typeof value !== 'string' || VARIES.test(name) ? 'text' : harmless(value);
}

/**
 * A text without what is private or differs each time: names in the place of secrets, addresses, ids,
 * times and figures.
 */
export function harmless(text: string): string {
  return onNewYear(text)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\s]+/gu, ' ')
    .replace(/‹[^‹›]*›?/g, 'redacted')
    .replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, 'someone@example.org')
    .replace(/\bhttps?:\/\/[^\s"'<>]+/gi, 'https://example.org/')
    .replace(/[\w~+/=.-]+/g, (word) => {
      if (word.startsWith('2030-01-01') || word === '00') return word;
      if (/^[\d.-]+$/.test(word)) return word.replace(/\d+/g, '0');
      const changes = word.match(/\d(?=[a-z])|[a-z](?=\d)/gi) ?? [];
      const isId = /\d/.test(word) && (word.length >= 20 || (word.length >= 6 && changes.length > 1));
      return isId ? 'id' : word;
    })
    .trim();
}
