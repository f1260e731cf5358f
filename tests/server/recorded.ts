/** What is kept of the answers of recorded traffic, by the functions that a run of `mrs verify` uses. */
import { hash } from 'node:crypto';
import { guardOf, objectOf } from '../support/own-schema.ts';
import { UsageError } from '../support/usage-error.ts';
import { isMark, isMasked } from '../traffic/credentials.ts';
import { type AnswerBody, type RecordedCall, type RecordedExchange, UNREAD } from '../traffic/exchange.ts';
import { recordOf } from './probe/api.ts';
import { createTokenReader } from './probe/token-answer.ts';
import { speaksOnlyOfError } from './support/data.ts';
import { type Answered, type Exchange, isIssued, isSuccess, type Response } from './support/evidence.ts';
import { isJson } from './support/expectations.ts';
import { mediaTypeOf, parseJson } from './support/json.ts';

/** An exchange with what was read of its answer, whose headers the exchange has. */
export interface Recorded extends RecordedExchange {
  response?: Omit<Response, 'headers'>;
}

type ReadAnswer = Pick<Recorded, 'token' | 'hasBody' | 'brings' | 'response'>;

/** At most this many answers with other bodies are remembered: a client that polls gets most of them again. */
const REMEMBERED = 200;

/** `name`: of the file, for messages. */
export function createAnswerRecorder(name: string) {
  const hidden = new Set<string>();
  const noSecrets = {
    register: (value: string, alias: string) => void (alias === 'hidden' && hidden.add(value)),
    excerpt: beginningOf,
  };
  const readToken = createTokenReader(noSecrets);
  const remembered = new Map<string, ReadAnswer>();

  function once(key: string, make: () => ReadAnswer): ReadAnswer {
    const known = remembered.get(key);
    if (known) return known;
    const made = make();
    if (remembered.size === REMEMBERED) remembered.clear();
    remembered.set(key, made);
    return made;
  }

  /** What is kept of the answer to a token request; undefined where the recorder replaced the token in it. */
  function tokenAnswer(answer: Received): ReadAnswer | undefined {
    const parsed = parseJson(answer.body);
    const { token, record: own } = readToken(answer, parsed);
    if (token !== undefined && isMasked(token)) {
      if (!isMark(token)) hidden.add(token);
      return undefined;
    }
    const record = { ...recordOf(answer, parsed, noSecrets), ...own, excerpt: '' };
    return { ...broughtBy(record), ...(token !== undefined && { token }) };
  }

  const otherAnswer = (answer: Received): ReadAnswer =>
    once(`${answer.status} ${mediaTypeOf(answer.headers)} ${hash('sha256', answer.body, 'hex')}`, () =>
      broughtBy(recordOf(answer, parseJson(answer.body), noSecrets)),
    );

  /** What mrs proxy made of a body; undefined where that is of another kind of call, or it kept none. */
  function describedAnswer(
    { entry, kind, answer }: RecordedExchange,
    described: unknown,
  ): ReadAnswer | undefined {
    if (described === undefined || !answer) return undefined;
    if (!isDescription(described))
      throw new UsageError(
        `${name}: entry ${entry} has a member _mrs that mrs proxy did not write. Remove the member, or record the traffic again.`,
      );
    const { token, response } = described;
    if (!response || (kind === 'token') !== (response.tokenResponse !== undefined)) return undefined;
    const head = headOf(answer);
    return once(JSON.stringify([head, token, response]), () => ({
      ...broughtBy({ headers: [], ...head, ...response }),
      ...(kind === 'token' && token !== undefined && { token }),
    }));
  }

  return {
    /** To be called with each exchange in turn. Throws UsageError for a forged description. */
    record(exchange: RecordedExchange, { bytes, described }: AnswerBody): Recorded {
      const { entry, kind, answer } = exchange;
      if (!answer) return exchange;
      const { status, headers } = answer;
      const body = kind === 'other' ? undefined : bytes();
      const received = body && { status, headers, body };
      const read = !received
        ? describedAnswer(exchange, described)
        : kind === 'token'
          ? tokenAnswer(received)
          : otherAnswer(received);
      if (read) return { ...exchange, ...read };
      // The file does not have the body: nothing that depends on it is judged.
      const json = {
        wellFormed: false,
        error: 'the file does not have the body of the answer',
        refused: true,
      } as const;
      const response = { ...headOf(answer), bodyBytes: 1, digest: `of entry ${entry}`, excerpt: '', json };
      return { ...exchange, response, ...UNREAD };
    },
    /** Values in token answers that may be credentials. */
    hidden: hidden as ReadonlySet<string>,
  };
}

type Received = Parameters<typeof recordOf>[0];

function headOf(answer: Pick<Response, 'status' | 'headers'>): Pick<Response, 'status' | 'mediaType'> {
  const mediaType = mediaTypeOf(answer.headers);
  return { status: answer.status, ...(mediaType !== undefined && { mediaType }) };
}

/** The headers are kept with the exchange. */
function broughtBy({ headers: _, ...response }: Response): ReadAnswer {
  const answer = { response } as Answered; // Nothing here reads the headers.
  return {
    response,
    hasBody: true,
    brings: {
      token: isSuccess(answer) && isIssued(answer),
      json: isJson(answer).verdict === 'passed',
      error: speaksOnlyOfError(response.json),
    },
  };
}

/** What the verdicts need of an excerpt: the sign that its JSON would begin with. */
const beginningOf = (text: string, characters: number): string =>
  Buffer.from(text.slice(0, characters).trimStart().slice(0, 1)).toString();

/** What mrs proxy writes of an entry in place of a body, as the member `_mrs`. */
export interface Description {
  /** The id and the name of the secret of the client, where they were not in a form. */
  client?: string;
  secret?: string;
  /** The name of the token in a token answer. */
  token?: string;
  response?: Omit<Response, 'status' | 'headers' | 'mediaType' | 'declared' | 'feed'>;
}

const text = (maxLength: number) => ({ type: 'string', maxLength });
const listOf = (items: object) => ({ type: 'array', maxItems: 100, items });
const FLAG = { type: 'boolean' };
const COUNT = { type: 'integer', minimum: 0 };
const SET = { const: true };
const only = (members: Record<string, object>) => objectOf(members, true);
const NAMES = listOf(text(200));
const MISMATCH = only({ pointer: text(240), keyword: text(40), expected: text(200) });

/** Of a description. */
const DESCRIPTION_SCHEMA = only({
  ...{ 'client?': text(200), 'secret?': text(200), 'token?': text(200) },
  'response?': only({
    ...{ bodyBytes: COUNT, digest: text(40), excerpt: { enum: ['', '[', '{'] } },
    json: {
      oneOf: [
        only({ wellFormed: { const: false }, error: text(200), 'refused?': SET }),
        only({
          wellFormed: SET,
          type: { enum: ['object', 'array', 'string', 'number', 'boolean', 'null'] },
          ...{ 'fields?': NAMES, 'filled?': NAMES, empty: FLAG },
          ...{
            'vacant?': SET,
            'emptyList?': SET,
            'recordFields?': NAMES,
            'blankRecord?': SET,
            'keyed?': SET,
          },
        }),
      ],
    },
    'tokenResponse?': only({
      ...{ issued: FLAG, 'takenFrom?': text(200), unclear: FLAG, mismatches: listOf(MISMATCH) },
    }),
  }),
});
const isDescription = guardOf<Description>(DESCRIPTION_SCHEMA);

/** A call as evidence: of its request, only what the verdicts and the report need. `show` removes secrets. */
export function evidenceOf(
  call: RecordedCall & Recorded,
  what: string,
  show: (text: string) => string,
): Exchange {
  const { entry, startMs, endMs, method, path, headers, answer, response } = call;
  const { failure = 'gave no answer' } = call;
  const shown = headers.filter(([name]) => name === 'accept' || name === 'content-type');
  const type = response?.mediaType === undefined ? {} : { mediaType: show(response.mediaType) };
  return {
    id: `x${entry}`,
    what,
    request: { method: show(method), path: show(path), headers: shown },
    sentAtMs: Math.round(startMs),
    durationMs: Math.round(endMs - startMs),
    ...(response ? { response: { ...response, ...type, headers: answer?.headers ?? [] } } : { failure }),
  };
}
