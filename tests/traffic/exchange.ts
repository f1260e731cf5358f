/** A recorded request with its answer: as a file has it, as it is kept, and as the judges read it. */
import type { CredentialLeak } from '../support/secrets.ts';

export interface Timed {
  startMs: number;
  endMs: number;
}

/** A request and its answer, as a recorder has them. What it holds came from outside. */
export interface RecordedExchange {
  /** Its place in the file, from 1. */
  entry: number;
  /** By the recorder's clock, in milliseconds since 1970; NaN where the file has no usable time. */
  sentMs: number;
  answeredMs: number;
  /** The start as the file has it, where that is not a usable time. */
  startText?: string;
  method: string;
  /** Scheme, host and port, in lower case. */
  origin: string;
  /** As it was sent, without the query; below the base URL once that is known. */
  path: string;
  kind: CallKind;
  query: readonly Field[];
  /** Of the request, names in lower case, in their order. */
  headers: readonly Field[];
  lacks: readonly Part[];
  /** The body of the request, or the fields of a form that the file has in parts only. */
  body?: string;
  params?: readonly Field[];
  /** Names of headers are in lower case, in their order. */
  answer?: { status: number; headers: readonly Field[] };
  /** Why there is no answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /** The id and the secret of the client as mrs proxy notes them, where they were not in a form. */
  noted?: readonly Field[];
  /** Secrets and tokens where they must not be: as mrs mock and mrs proxy note them, since their files do not have those parts. */
  misplaced: readonly CredentialLeak[];
  /** Why a proxy answered in place of the service. The answer is judged as one to the client, not as the service's. */
  proxyAnswer?: string;
  /** The token that a token request brought. */
  token?: string | undefined;
  /** Whether the whole body of the answer was read, and what that has: a token, JSON, only an error. */
  hasBody: boolean;
  brings: { token: boolean; json: boolean; error: boolean };
}

/** Of an exchange before the body of its answer is read, and of one whose file does not have that. */
export const UNREAD = { hasBody: false, brings: { token: false, json: false, error: false } } as const;

/** The body of an answer while it can be read. */
export interface AnswerBody {
  /** With its content codings removed; undefined where the file does not have the whole of it. */
  bytes(): Buffer | undefined;
  /** What mrs proxy wrote in its place; anything, until it is validated. */
  described?: unknown;
}

export type Field = readonly [name: string, value: string];

/**
 * What a recorder left out of an exchange, cut, replaced, or kept elsewhere: what is missing there was not seen, and counts for
 * nobody as not sent. The body of an answer is undefined then.
 */
export const PARTS = ['headers', 'form', 'headers of the answer'] as const;
export type Part = (typeof PARTS)[number];

export type CallKind = 'token' | 'data' | 'other';

/** An exchange as the judges read it. `startMs` and `endMs` are milliseconds on the axis of the recording. */
export interface RecordedCall extends RecordedExchange, Timed {
  /** The token that a token request brought; of another call, the one that was sent. */
  token?: string | undefined;
  /** Absent where no answer came. */
  status?: number | undefined;
  /** The id and the secret of the client in a token request. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Of a token request: the fields of its form; absent where its body is not a form, or not in the file. */
  form?: readonly Field[] | undefined;
  /** Whether it has an Authorization header, and whether that has the form of a bearer token, or was replaced. */
  authorization?: 'bearer' | 'other' | 'masked' | undefined;
  /** What the Accept header says of JSON; absent without one. */
  accepts?: JsonAcceptance | undefined;
  /** Of the query; empty without one. */
  queryDigest: string;
  /** Whether it carries something else by which a service could know its client, such as a cookie. */
  isIdentified: boolean;
}

type WithStatus = { status?: number | undefined };
export const isServed = ({ status = 0 }: WithStatus): boolean => status >= 200 && status <= 299;
export const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
export const isRefusal = ({ status }: WithStatus): boolean => status === 401 || status === 403;

/** The media type and the fields of the form in a token request (clause 4.1). */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const FORM_FIELDS: readonly string[] = ['grant_type', 'client_id', 'client_secret'];

/**
 * The headers that a verdict may rest on. The judges read no others, and mrs proxy writes no others into its HAR file: with a
 * new name here, what its file shows of it must be stated before the code compiles.
 */
export type RequestHeader =
  | 'accept'
  | 'authorization'
  | 'content-type'
  | 'cookie'
  | 'if-modified-since'
  | 'if-none-match';
const ANSWER_HEADERS = ['content-type', 'location', 'retry-after'] as const;
export type AnswerHeader = (typeof ANSWER_HEADERS)[number];

/** The value of the first header of this name in the request. */
export const requestHeader = (
  { headers }: Pick<RecordedExchange, 'headers'>,
  name: RequestHeader,
): string | undefined => fieldNamed(headers, name);

/** The same of the answer. */
export const answerHeader = (
  answer: Pick<NonNullable<RecordedExchange['answer']>, 'headers'> | undefined,
  name: AnswerHeader,
): string | undefined => answer && fieldNamed(answer.headers, name);

/** The seconds from `nowMs` on that Retry-After asks for: a number, or a date (RFC 9110 section 10.2.3). Undefined for other text. */
export function secondsToWait(text: string | undefined, nowMs: number): number | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Of any other text, Date.parse makes a day of some year.
  const date = /^[A-Za-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - nowMs) / 1000);
}

/** The value of the first field of this name. */
export const fieldNamed = (fields: readonly Field[], wanted: string): string | undefined =>
  fields.find(([name]) => name === wanted)?.[1];

type Addressed = Pick<RecordedExchange, 'method' | 'path'>;

/** By its path below the base URL. */
export function kindOf({ method, path }: Addressed): CallKind {
  if (method === 'POST' && path === '/token/') return 'token';
  return method === 'GET' && path === '/ods_data/' ? 'data' : 'other';
}

/** The same while the base URL is not known: what it is for if its base path is the right one. */
export const possibleKindOf = ({ method, path }: Addressed): CallKind =>
  kindOf({ method, path: /\/(token|ods_data)\/$/.exec(path)?.[0] ?? path });

// What an Accept header says of JSON (RFC 9110, 12.5.1).

/** `named`: application/json itself. `allowed`: only by a wider range, such as application/*. `refused`: neither. */
type JsonAcceptance = 'named' | 'allowed' | 'refused';

/** From the most specific to the least: the first that the header has decides. */
const RANGES = ['application/json', 'application/*', '*/*'];
/** What it holds separates nothing (RFC 9110, 5.6.4). */
const QUOTED = /"(?:\\.|[^"\\])*"?/g;
const NEVER = /^q=0(\.0*)?$/;

/** The value of all Accept headers of a request, in their order (RFC 9110, 5.3); undefined without one. */
export function acceptIn(headers: readonly Field[]): string | undefined {
  const lines = headers.filter(([name]) => name === 'accept');
  return lines.length > 0 ? lines.map(([, line]) => line).join(', ') : undefined;
}

/** Undefined where the value is empty or absent. A range that is listed twice is accepted if one of them is. */
export function jsonAcceptance(value: string | undefined): JsonAcceptance | undefined {
  if (!value?.trim()) return undefined;
  const accepted = new Map<string, boolean>();
  for (const member of value.toLowerCase().replace(QUOTED, '""').split(',')) {
    const [type = '', ...parameters] = member.split(';').map((part) => part.trim());
    const isNever = parameters.some((one) => NEVER.test(one));
    accepted.set(type, accepted.get(type) === true || !isNever);
  }
  const range = RANGES.find((one) => accepted.has(one));
  if (range === undefined || !accepted.get(range)) return 'refused';
  return range === RANGES[0] ? 'named' : 'allowed';
}

// What is kept of an exchange until the whole file is read: without what no verdict rests on, and with equal parts held once.

/** Headers of requests that no verdict rests on, and in which no secret is looked for. */
export const UNREAD_HEADERS: ReadonlySet<string> = new Set(
  'accept-encoding connection content-length host'.split(' '),
);
/** Headers of answers that hold credentials. */
const CREDENTIALS = /^((proxy-)?authorization|(set-)?cookie)$|key|token|secret|session/i;
const isReadOfAnswer = (name: string): boolean =>
  (ANSWER_HEADERS as readonly string[]).includes(name) || CREDENTIALS.test(name);
/** The number of parts that are compared with a new one; a longer one is not compared. */
const POOLED = 2000;
const POOLED_CHARACTERS = 4096;

export function createKeeper() {
  let characters = 0;
  const text = createPool((one: string) => {
    characters += one.length;
    return one;
  });
  const fields = createPool((list: readonly Field[]) =>
    list.map(([name, value]): Field => [text(name), text(value)]),
  );
  return {
    /** The exchange without what no verdict rests on. */
    keep<Kept extends RecordedExchange>(exchange: Kept): Kept {
      const { method, origin, path, query, headers, body, params, answer } = exchange;
      return {
        ...exchange,
        ...{ method: text(method), origin: text(origin), path: text(path), query: fields(query) },
        headers: fields(headers.filter(([name]) => !UNREAD_HEADERS.has(name))),
        ...(body !== undefined && { body: text(body) }),
        ...(params && { params: fields(params) }),
        ...(answer && {
          answer: { ...answer, headers: fields(answer.headers.filter(([name]) => isReadOfAnswer(name))) },
        }),
      };
    },
    /** How many characters the texts of what was kept have; those that are held once count once. */
    get characters() {
      return characters;
    },
  };
}

/** Makes a value once for those with the same key, as long as it is among the last few thousand. */
export function createPool<T, Made = T>(
  make: (one: T) => Made,
  keyOf: (one: T) => unknown = (one) => (typeof one === 'string' ? one : JSON.stringify(one)),
): (one: T) => Made {
  const pool = new Map<unknown, Made>();
  return (one) => {
    const key = keyOf(one);
    const before = pool.get(key);
    if (before !== undefined) return before;
    const made = make(one);
    if (typeof key === 'string' && key.length > POOLED_CHARACTERS) return made;
    if (pool.size === POOLED) pool.clear();
    pool.set(key, made);
    return made;
  };
}
