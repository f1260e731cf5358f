/** What is kept of the answers of recorded traffic, by the functions that a run of `mrs verify` uses. */
import { createHash } from 'node:crypto';
import type { CallKind } from '../../traffic/call-kind.ts';
import { isMark, isMasked } from '../../traffic/credentials.ts';
import { fieldNamed, type RecordedExchange } from '../../traffic/exchange.ts';
import { recordOf } from '../probe/answer-record.ts';
import { createDataValues } from '../probe/data-values.ts';
import type { HttpResponse } from '../probe/http.ts';
import { createTokenReader } from '../probe/token-reading.ts';
import { type Exchange, isSuccessStatus, type Observed, type Response } from '../support/evidence.ts';
import { mediaTypeOf } from '../support/json.ts';
import { createDescriber, type Description } from './description.ts';

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
      if (!answer) return { hasBody: false };
      const body = kind === 'other' ? undefined : answer.readBody();
      const { headers } = answer;
      const withoutBody = () => ({ response: unknownBody(answer.status, headers, entry), hasBody: false });
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
        return { response: describe(response), hasBody: true, ...(token !== undefined && { token }) };
      }
      const isTelling = !isSuccessStatus(answer.status) || fieldNamed(request, 'authorization') === undefined;
      const key = `${answer.status} ${fieldNamed(answer.headers, 'content-type')} ${sha256(body)}`;
      const known = remembered.get(key);
      if (known && (!isTelling || noted >= NOTED)) return { response: known, hasBody: true };
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
      return { response, hasBody: true };
    },
    hidden,
    countValues: values.count,
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

/** An exchange as evidence: of its request, only what the verdicts and the report need. */
export function evidenceOf(
  { entry, method, headers, answer, failure }: RecordedExchange,
  { response }: Recorded,
  { path, what, startMs, endMs }: { path: string; what: string; startMs: number; endMs: number },
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
