/**
 * What is kept of an exchange until the whole file is read: without what no verdict rests on, and with equal parts held
 * once. A recording has a hundred thousand exchanges, most of which are alike.
 */
import type { Field, RecordedExchange } from './exchange.ts';

/** Headers of requests that no verdict rests on, and in which no secret is looked for. */
export const UNREAD_HEADERS = [
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-length',
  'host',
  'pragma',
  'user-agent',
] as const;

const UNREAD: ReadonlySet<string> = new Set(UNREAD_HEADERS);
/** Headers of answers that a verdict rests on, or that hold credentials. */
const READ_OF_ANSWER =
  /^(authorization|content-type|cookie|location|proxy-authorization|retry-after|set-cookie)$|key|token|secret|session/i;
/** The number of parts that are compared with a new one; a longer one is not compared. */
const POOLED = 2000;
const POOLED_CHARACTERS = 4096;

export interface Keeper {
  /** The exchange as it is kept; its body cannot be read any more. */
  keep(exchange: RecordedExchange): RecordedExchange;
  /** How many characters the texts of what was kept have; those that are held once count once. */
  readonly characters: number;
}

export function createKeeper(): Keeper {
  let characters = 0;
  const text = createPool<string>();
  const field = createPool<Field>();
  const fields = createPool<readonly Field[]>();
  const share = (one: string) =>
    text(one, () => {
      characters += one.length;
      return one;
    });

  const shareField = ([name, value]: Field): Field =>
    field(JSON.stringify([name, value]), () => [share(name), share(value)]);
  const shareFields = (list: readonly Field[]): readonly Field[] =>
    fields(JSON.stringify(list), () => list.map(shareField));

  return {
    keep({ body, params, answer, ...exchange }) {
      return {
        ...exchange,
        method: share(exchange.method),
        origin: share(exchange.origin),
        path: share(exchange.path),
        query: shareFields(exchange.query),
        headers: shareFields(exchange.headers.filter(([name]) => !UNREAD.has(name))),
        ...(body !== undefined && { body: share(body) }),
        ...(params && { params: shareFields(params) }),
        ...(answer && {
          answer: {
            ...answer,
            headers: shareFields(answer.headers.filter(([name]) => READ_OF_ANSWER.test(name))),
            readBody: NO_BODY,
          },
        }),
      };
    },
    get characters() {
      return characters;
    },
  };
}

/** Makes a value once for equal keys, as long as the key is among the last few thousand. */
function createPool<T>() {
  const known = new Map<string, T>();
  return (key: string, make: () => T): T => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make();
    if (key.length > POOLED_CHARACTERS) return made;
    if (known.size === POOLED) known.clear();
    known.set(key, made);
    return made;
  };
}

const NO_BODY = () => undefined;
