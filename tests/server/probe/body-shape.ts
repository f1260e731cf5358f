/**
 * What a body looks like, without what it says: the types and members that answers have in common. Kept small by hand:
 * libraries that infer schemas (genson-js, to-json-schema) have no limits on what a deployment sends, and
 * conclude too much from one answer.
 */

type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Of a value, or of several that were merged. */
export interface Shape {
  /** Every type that was seen. */
  types: JsonType[];
  /** Of objects whose members have names, and not keys: each member that was seen. */
  members?: Record<string, Shape>;
  /** Those that each had. */
  required?: string[];
  /** Of lists that were not all empty. */
  items?: Shape;
  /** What each was; absent where they were not the same. */
  value?: string | boolean;
  /** Of texts that are times: their form, as the time 2030-01-01. */
  time?: string;
}

const DEPTH = 8;
const MEMBERS = 60;
/** Of a whole body. */
const VALUES = 200_000;
/** A name, as a person gives it; other members are keys, such as the ids of records. */
const NAME =
  /^(?!(?:__proto__|constructor|prototype)$)(?![0-9a-f-]*\d[0-9a-f-]{7,}$)[a-z_$@][\w$@.:-]{0,63}$/i;
/** Its value is another one each time. */
const VARIES =
  /(request|trace|correlation|span|session|event|error)[-_]?id$|^(id|instance|nonce)$|time|date/i;

/** Bounded in depth, members and values: what is beyond is as if it were not known. `cut` shortens a text. */
export function shapeOf(body: unknown, cut: (text: string) => string): Shape {
  let left = VALUES;
  const visit = (value: unknown, depth: number): Shape => {
    left--;
    if (value === null) return { types: ['null'] };
    if (Array.isArray(value)) {
      // Merged one by one: a hundred thousand shapes would take more memory than the body.
      let items: Shape | undefined;
      for (const one of value) {
        // Of a list that is not looked at to its end, nothing is said of the items.
        if (depth === DEPTH || left <= 0) return { types: ['array'] };
        const item = visit(one, depth + 1);
        items = items ? merge(items, item) : item;
      }
      // One item does not show which members the next one has.
      if (items?.required && value.length === 1) items = { ...items, required: [] };
      return { types: ['array'], ...(items && { items }) };
    }
    if (typeof value === 'object') {
      const names = Object.keys(value as object);
      const isKnown = names.length <= MEMBERS && names.every((one) => NAME.test(one));
      if (!isKnown || depth === DEPTH || left <= 0) return { types: ['object'] };
      const members = Object.entries(value as object).map(([one, member]) => [one, visit(member, depth + 1)]);
      return { types: ['object'], members: Object.fromEntries(members), required: names };
    }
    const type = typeof value as 'string' | 'number' | 'boolean';
    if (typeof value !== 'string') return { types: [type], ...(typeof value === 'boolean' && { value }) };
    const time = onNewYear(value.slice(0, 40));
    return { types: [type], value: cut(value), ...(TIME.test(time) && { time }) };
  };
  return visit(body, 0);
}

/** What is said of each is said of all. */
export function mergeShapes(shapes: readonly Shape[]): Shape {
  const [first, ...rest] = shapes;
  if (!first) return { types: [] };
  return rest.reduce(merge, first);
}

/** A deployment may name a member after one that every object inherits, such as toString. */
const memberOf = (members: Shape['members'], name: string): Shape | undefined =>
  members && Object.hasOwn(members, name) ? members[name] : undefined;

/** Whether `b` adds nothing to `a`, as most items of a list do: then nothing new is made. */
function isWithin(b: Shape, a: Shape): boolean {
  const { members: ofA, required: ofAll = [] } = a;
  const addsMembers = ({ members, required }: Shape) =>
    !members ||
    ofAll.some((name) => !required?.includes(name)) ||
    Object.entries(members).some(([name, one]) => {
      const own = memberOf(ofA, name);
      return !own || !isWithin(one, own);
    });
  return (
    b.types.every((type) => a.types.includes(type)) &&
    (a.value === undefined || a.value === b.value) &&
    (a.time === undefined || a.time === b.time) &&
    (!b.items || (a.items !== undefined && isWithin(b.items, a.items))) &&
    !(ofA && b.types.includes('object') && addsMembers(b))
  );
}

function merge(a: Shape, b: Shape): Shape {
  if (isWithin(b, a)) return a;
  const types = [...new Set([...a.types, ...b.types])].sort();
  const [ofA, ofB] = [a, b].map((one) => (one.types.includes('object') ? one.members : {}));
  const known = ofA && ofB;
  const bothObjects = a.types.includes('object') && b.types.includes('object');
  const names = known ? [...new Set([...Object.keys(ofA), ...Object.keys(ofB)])] : [];
  const members = names.map((name): [string, Shape] => {
    const own = [memberOf(ofA, name), memberOf(ofB, name)].filter((one) => one !== undefined);
    return [name, mergeShapes(own)];
  });
  const required = bothObjects
    ? (a.required ?? []).filter((name) => b.required?.includes(name))
    : (a.required ?? b.required);
  const items = [a.items, b.items].filter((one) => one !== undefined);
  return {
    types,
    ...(known &&
      types.includes('object') && { members: Object.fromEntries(members), required: required ?? [] }),
    ...(items.length > 0 && { items: mergeShapes(items) }),
    ...(a.value !== undefined && a.value === b.value && { value: a.value }),
    ...(a.time !== undefined && a.time === b.time && { time: a.time }),
  };
}

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

/** Every time in a text, in its own form. */
const onNewYear = (text: string): string =>
  text.replace(
    /\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g,
    (_, between, fraction = '', zone = '') =>
      `2030-01-01${between}00:00:00${fraction.replace(/\d/g, '0')}${zone}`,
  );

const TIME = /^2030-01-01[T ]00:00:00(\.0+)?(Z|[+-]\d\d:?\d\d)?$/;
