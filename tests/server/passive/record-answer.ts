/** What is kept of the answers of recorded traffic, by the functions that a run of `mrs verify` uses. */
import { createHash } from 'node:crypto';
import type { CallKind, RecordedCall } from '../../traffic/call.ts';
import { isMark, isMasked } from '../../traffic/credentials.ts';
import { fieldNamed, type RecordedExchange } from '../../traffic/exchange.ts';
import { recordOf } from '../probe/answer-record.ts';
import { createDataValues } from '../probe/data-values.ts';
import type { HttpResponse } from '../probe/http.ts';
import { createTokenReader } from '../probe/token-answer.ts';
import { speaksOnlyOfError } from '../support/data.ts';
import {
  type Answered,
  type Exchange,
  isIssued,
  isSuccessStatus,
  type Json,
  type Observed,
  type Response,
} from '../support/evidence.ts';
import { isJson } from '../support/expectations.ts';
import { mediaTypeOf } from '../support/json.ts';

export interface AnswerRecorder {
  /** To be called with each exchange in turn, while its body can be read. */
  record(exchange: RecordedExchange, kind: CallKind): Recorded;
  /** Values in token answers that may be credentials. */
  readonly hidden: ReadonlySet<string>;
  /** With how many values of the data each answer holds, of those whose words were noted. */
  countValues(observed: Observed): Observed;
}

export interface Recorded {
  response?: Description;
  /** What a token request brought. */
  token?: string;
  hasBody: boolean;
  brings: RecordedCall['brings'];
}

/** At most this many answers with other bodies are remembered: a client that polls gets most of them again. */
const REMEMBERED = 200;
/** The words of at most this many answers are noted. */
const NOTED = 100;

export function createAnswerRecorder(): AnswerRecorder {
  const hidden = new Set<string>();
  const noSecrets = {
    register: (value: string, alias: string) => void (alias === 'hidden' && hidden.add(value)),
    excerpt: beginningOf,
  };
  const readToken = createTokenReader(noSecrets);
  const values = createDataValues();
  const describe = createDescriber();
  const remembered = new Map<string, Description>();
  let noted = 0;

  return {
    record({ entry, answer, headers: request }, kind) {
      if (!answer) return { hasBody: false, brings: NOTHING };
      const body = kind === 'other' ? undefined : answer.readBody();
      const { headers } = answer;
      const withoutBody = () => ({
        response: unknownBody(answer.status, headers, entry),
        hasBody: false,
        brings: NOTHING,
      });
      if (!body) return withoutBody();
      const received: HttpResponse = { status: answer.status, headers, body };
      if (kind === 'token') {
        let token: string | undefined;
        const response = recordOf(
          received,
          (own, parsed) => {
            const read = readToken(own, parsed);
            token = read.token;
            return { ...read.record, excerpt: '', shape: undefined };
          },
          noSecrets,
        );
        if (token !== undefined && isMasked(token)) {
          if (!isMark(token)) hidden.add(token);
          return withoutBody();
        }
        return {
          response: describe(response),
          hasBody: true,
          ...(token !== undefined && { token }),
          brings: contentOf(response),
        };
      }
      const isTelling = !isSuccessStatus(answer.status) || fieldNamed(request, 'authorization') === undefined;
      const key = `${answer.status} ${fieldNamed(answer.headers, 'content-type')} ${sha256(body)}`;
      const known = remembered.get(key);
      if (known && (!isTelling || noted >= NOTED))
        return { response: known, hasBody: true, brings: contentOf(known) };
      const response = describe(
        recordOf(
          received,
          (own, parsed) => {
            if (noted++ < NOTED) values.note(`x${entry}`, own, parsed);
            return { shape: undefined };
          },
          noSecrets,
        ),
      );
      if (remembered.size === REMEMBERED) remembered.clear();
      remembered.set(key, response);
      return { response, hasBody: true, brings: contentOf(response) };
    },
    hidden,
    countValues: values.count,
  };
}

const NOTHING = { token: false, json: false, error: false };

function contentOf(response: Description): RecordedCall['brings'] {
  const answer = { response } as Answered; // Nothing here reads the headers.
  return {
    token: isSuccessStatus(response.status) && isIssued(answer),
    json: isJson(answer).verdict === 'passed',
    error: speaksOnlyOfError(response.json),
  };
}

/** What the verdicts need of an excerpt: the sign that its JSON would begin with. */
const beginningOf = (text: string, characters: number): string =>
  Buffer.from(text.slice(0, characters).trimStart().slice(0, 1)).toString();

/** The answer to a request whose body the file does not have: nothing that depends on it is judged. */
function unknownBody(status: number, headers: Response['headers'], entry: number): Description {
  const mediaType = mediaTypeOf(headers.find(([name]) => name === 'content-type')?.[1]);
  return {
    status,
    ...(mediaType !== undefined && { mediaType }),
    bodyBytes: 1,
    digest: `of entry ${entry}`,
    excerpt: '',
    json: { wellFormed: false, error: 'the file does not have the body of the answer', refused: true },
  };
}

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** A call as evidence: of its request, only what the verdicts and the report need. */
export function evidenceOf(
  { recorded: { entry, method, path, headers, answer, failure }, startMs, endMs }: RecordedCall,
  { response }: Recorded,
  what: string,
): Exchange {
  const answered = response && { ...response, headers: answer?.headers ?? [] };
  return {
    id: `x${entry}`,
    what,
    request: { method, path, headers: headers.filter(([name]) => SHOWN.has(name)) },
    sentAtMs: Math.round(startMs),
    durationMs: Math.round(endMs - startMs),
    ...(answered ? { response: answered } : { failure: failure ?? 'gave no answer' }),
  };
}

const SHOWN = new Set(['accept', 'content-type']);

// What is kept of a body is as small as it can be: a recording has a hundred thousand answers, each of up to fifty records,
// and the judges ask for the records of few of them.

/** What is kept of an answer, without its headers: those are kept with the exchange. */
export type Description = Omit<Response, 'headers'>;

type Described = Extract<Json, { wellFormed: true }>;

/** Bodies of at most this many kinds are compared with a new one. */
const KINDS = 500;
const DIGEST_BYTES = 16;

/** Makes descriptions that share the names of members, and unpack the digests of records when they are asked for. */
export function createDescriber(): (response: Response) => Description {
  const kinds = new Map<string, Json>();

  function kindOf(json: Json): Json {
    const key = JSON.stringify(json);
    const known = kinds.get(key);
    if (known) return known;
    if (kinds.size === KINDS) kinds.clear();
    kinds.set(key, json);
    return json;
  }

  return ({ headers: _, json, ...response }) => ({ ...response, json: packed(json, kindOf) });
}

function packed(json: Json, kindOf: (json: Json) => Json): Json {
  if (!json.wellFormed || !json.records) return kindOf(json);
  const { records, ...kind } = json;
  const bytes = Buffer.from(records.join(''), 'hex').toString('latin1');
  return Object.defineProperty({ ...(kindOf(kind) as Described), [BYTES]: bytes }, 'records', UNPACKING);
}

const BYTES = Symbol('digests of records, sixteen characters each');

/** One for all descriptions: with a function each, they would take more memory than the digests. */
const UNPACKING = {
  enumerable: true,
  get(this: { [BYTES]: string }): string[] {
    const bytes = this[BYTES];
    return Array.from({ length: bytes.length / DIGEST_BYTES }, (_, nth) =>
      Buffer.from(bytes.slice(nth * DIGEST_BYTES, (nth + 1) * DIGEST_BYTES), 'latin1').toString('hex'),
    );
  },
};
