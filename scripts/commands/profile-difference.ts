/** How two contracts differ, point by point, as `mrs profile diff` prints it. */
import { isDeepStrictEqual } from 'node:util';
import { wrap } from '../../tests/report/wrap.ts';
import { answersIn, at, type ExpectedAnswer, operationsIn } from '../../tests/server/support/declared.ts';

type Node = Record<string, unknown>;

export interface Difference {
  kind: 'only-in-a' | 'only-in-b' | 'differs';
  /** What it is about, as a noun phrase. */
  what: string;
  /** In words; empty if only one contract has it. */
  changes: string[];
}

/** Descriptions and sources are not compared. */
export function differencesOf(a: Node, b: Node): Difference[] {
  const [ofA, ofB] = [pointsIn(a), pointsIn(b)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].sort().flatMap((what): Difference[] => {
    const [one, other] = [ofA.get(what), ofB.get(what)];
    if (other === undefined) return [{ kind: 'only-in-a', what, changes: [] }];
    if (one === undefined) return [{ kind: 'only-in-b', what, changes: [] }];
    const changes = changesOf(one, other);
    return changes.length > 0 ? [{ kind: 'differs', what, changes }] : [];
  });
}

export function renderDifferences(differences: readonly Difference[], a: string, b: string): string {
  if (differences.length === 0) return wrap(`${a} and ${b} declare the same.`, WIDTH).join('\n');
  const group = (kind: Difference['kind'], title: string) => {
    const own = differences.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    const lines = own.flatMap(({ what, changes }) => [
      ...wrap(what, WIDTH - 2).map((line) => `  ${line}`),
      ...changes.flatMap((change) =>
        wrap(change, WIDTH - 6).map((line, index) => (index === 0 ? `    · ${line}` : `      ${line}`)),
      ),
    ]);
    return [...wrap(title, WIDTH), ...lines, ''];
  };
  return [
    ...group('only-in-a', `Only in ${a}`),
    ...group('only-in-b', `Only in ${b}`),
    ...group('differs', `Differs, from ${a} to ${b}`),
    `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`,
  ].join('\n');
}

const WIDTH = 80;

/** What a contract declares about one subject: a value for each part, by a name to print. */
type Point = Map<string, unknown>;

function pointsIn(document: Node): Map<string, Point> {
  const points = new Map<string, Point>();
  for (const { id, method, path } of operationsIn(document))
    points.set(`operation ${method} ${path}`, new Map(Object.entries({ name: id })));
  const operations = operationsIn(document);
  for (const expected of answersIn(document)) {
    const operation = operations.find(({ id }) => id === expected.operation);
    points.set(
      `answer to ${expected.when} at ${operation?.method} ${operation?.path}`,
      pointOf(document, expected),
    );
  }
  for (const [name, schema] of Object.entries((at(document, '/components/schemas') ?? {}) as Node))
    points.set(`schema ${name}`, new Map(schemaParts(document, schema, 'body')));
  points.set(
    'token',
    new Map(
      Object.entries({
        lifetime: `${at(document, '/components/securitySchemes/accessToken/x-token-lifetime-seconds')} s`,
      }),
    ),
  );
  const { notOffered = [] } = (document['x-profile'] ?? {}) as { notOffered?: string[] };
  for (const id of notOffered) points.set(`${id} is not offered`, new Map());
  const records = document['x-records'] as Node | undefined;
  if (records) points.set('records', new Map(Object.entries(records)));
  return points;
}

function pointOf(document: Node, { status, mediaType, headers, schemas, pointers }: ExpectedAnswer): Point {
  const own = at(document, pointers.at(-1) ?? '') as Node;
  const { headers: ofStatus = {} } = (at(document, pointers[0] ?? '') ?? {}) as {
    headers?: Record<string, Node>;
  };
  const common = Object.entries(ofStatus).flatMap(([name, { example }]) =>
    example === undefined ? [] : [[name, example] as const],
  );
  const sent = { ...Object.fromEntries(common), ...(own['x-headers'] as Node) };
  const asked = headers.map(({ name, schema }) => [name, schema] as const);
  return new Map<string, unknown>([
    ['status', status],
    ['media type', mediaType ?? 'none'],
    ...Object.entries(sent).map(([name, value]) => [`header ${name.toLowerCase()}`, value] as const),
    ...asked.map(([name, schema]) => [`header ${name} must be`, schema] as const),
    ...schemas.flatMap((pointer) => schemaParts(document, at(document, pointer), 'body')),
    ...('value' in own ? [['example', own.value] as const] : []),
  ]);
}

const DEPTH = 8;

/** Each member of a schema with its constraints. References are followed to a limited depth. */
function schemaParts(document: Node, given: unknown, name: string, depth = 0): [string, unknown][] {
  const schema = (given ?? {}) as Node;
  if (typeof schema !== 'object' || depth > DEPTH) return [[name, schema]];
  const { $ref, properties = {}, items, required = [], ...rest } = schema;
  const own = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !/^(x-|description$|title$|summary$|examples?$)/.test(key)),
  );
  const followed =
    typeof $ref === 'string' ? schemaParts(document, at(document, $ref.slice(1)), name, depth + 1) : [];
  return [
    ...(followed.length > 0 ? [] : [[name, own] as [string, unknown]]),
    ...followed,
    ...(required as string[]).map((one): [string, unknown] => [`${name}/${one} is required`, true]),
    ...Object.entries(properties as Node).flatMap(([one, member]) =>
      schemaParts(document, member, `${name}/${one}`, depth + 1),
    ),
    ...(items === undefined ? [] : schemaParts(document, items, `${name}/*`, depth + 1)),
  ];
}

function changesOf(a: Point, b: Point): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((name) => {
    const [one, other] = [a.get(name), b.get(name)];
    if (isDeepStrictEqual(one, other)) return [];
    if (!b.has(name)) return [`${name}${one === true ? '' : ` ${shown(one)}`}: only in the first`];
    if (!a.has(name)) return [`${name}${other === true ? '' : ` ${shown(other)}`}: only in the second`];
    return [`${name} ${shown(one)} → ${shown(other)}`];
  });
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const text = JSON.stringify(value);
  if (text === '{}') return 'anything';
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
