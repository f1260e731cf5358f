/** What passed, in the form in which all recorded traffic is judged. */
import { acceptedCodings, decode, INCOMPLETE } from '../../../tests/server/probe/http.ts';
import type { Field, RecordedExchange } from '../../../tests/traffic/exchange.ts';
import type { Passed, PassedAnswer } from '../forward/passed.ts';

/** Of a decoded body, in bytes. */
const MOST_DECODED = 32 * 1024 * 1024;
/** Of the body of a request, in bytes. */
const MOST_BODY_BYTES = 64 * 1024;
const NO_QUERY: readonly Field[] = [];
const GONE = 'gave no answer before the client disconnected';

/** `entry` is its number; its path is the one below the base URL. */
export async function recordedOf(passed: Passed, entry: number, origin: string): Promise<RecordedExchange> {
  const { target, method, headers, body, answer, startMs, endMs, failure, ended, proxyAnswer } = passed;
  const content = answer && (await contentOf(answer));
  const end = target.indexOf('?');
  const isAnswered = answer && !ended && (failure === undefined || proxyAnswer !== undefined);
  return {
    entry,
    startMs,
    endMs,
    method: method.slice(0, 40),
    origin,
    path: end === -1 ? target : target.slice(0, end),
    query: end === -1 ? NO_QUERY : [...new URLSearchParams(target.slice(end + 1))],
    headers: fieldsOf(headers),
    ...(body.content && body.bytes > 0 && { body: beginningOf(body.content) }),
    ...(isAnswered
      ? { answer: { status: answer.status, headers: fieldsOf(answer.headers), readBody: () => content } }
      : { failure: failure ?? (answer && ended !== 'gone' ? INCOMPLETE : GONE) }),
    ...(proxyAnswer !== undefined && { proxyAnswer }),
  };
}

/** Made of the bytes that are kept only: a part of a text would keep all of it in memory. */
const beginningOf = (content: Buffer): string => content.toString('utf8', 0, MOST_BODY_BYTES);

/** Without its content codings; undefined if it is not there as a whole. */
async function contentOf({ headers, body: { content } }: PassedAnswer): Promise<Buffer | undefined> {
  if (!content) return undefined;
  const lines = fieldsOf(headers).flatMap(([name, value]) => (name === 'content-encoding' ? value : []));
  if (lines.length === 0) return content;
  try {
    return await decode(content, acceptedCodings(lines), MOST_DECODED);
  } catch {
    return undefined; // Whether the client can read it is not known: nothing that depends on it is judged.
  }
}

/** Lists of headers that were seen lately: a client that polls sends the same ones each time, and one list is kept for all. */
const lists = new Map<string, readonly Field[]>();
const MOST_LISTS = 500;
const LISTED_CHARACTERS = 4096;

function fieldsOf(raw: readonly string[]): readonly Field[] {
  const key = raw.join('\n');
  const known = lists.get(key);
  if (known) return known;
  const fields = raw.flatMap((name, at): Field[] =>
    at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : [],
  );
  if (lists.size === MOST_LISTS) lists.clear();
  if (key.length <= LISTED_CHARACTERS) lists.set(key, fields);
  return fields;
}
