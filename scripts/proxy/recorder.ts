/** What becomes of each exchange that has passed: what is judged of it is kept, and at the end it is judged. */
import { acceptedCodings, decode, INCOMPLETE } from '../../tests/server/probe/http.ts';
import { createPool, type Field, kindOf, type RecordedExchange } from '../../tests/traffic/exchange.ts';
import { inOrder } from '../../tests/traffic/times.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import { judgeRecording } from '../judge/judge-recording.ts';
import { createCollection, type Recording } from '../judge/read-recording.ts';
import { type Call, createCallReader } from './call.ts';
import { type Answer, type Exchange, fieldsOf } from './exchange.ts';

export interface RecorderOptions {
  /** Of the service, without a slash at its end. */
  target: string;
  tokenLifetime?: AgreedLifetimes | undefined;
  processes: number;
  /** As readHealthPaths returns them. */
  healthPaths?: readonly string[] | undefined;
  /** Called with each call, once it is recorded. */
  onCall?: ((call: Call) => void) | undefined;
  /** Called with a sentence when the service cannot be reached, once for each failure. */
  onTrouble?(sentence: string): void;
}

export function createRecorder({
  target,
  tokenLifetime: lifetimes,
  processes,
  healthPaths = [],
  onCall,
  onTrouble,
}: RecorderOptions) {
  const { origin } = new URL(target);
  const { add, finder, kept, left, recorder } = createCollection();
  const callOf = createCallReader();
  /** Most calls have the same heads as one before: they are read and kept once. No field has a line break. */
  const headOf = createPool(fieldsOf, (raw: readonly string[]) => raw.join('\n'));
  /** Failures that were reported. */
  const reported = new Set<string>();
  let entries = 0;
  /** One after the other, in their order: a small body may decode to a large one. */
  let recorded = Promise.resolve();
  let waiting = 0;
  let isStopped = false;

  /** `content` is the body of the answer without its content codings. */
  function record(exchange: Exchange, content: Buffer | undefined): void {
    const one = recordedOf(exchange, ++entries, { origin, content, headOf });
    const kind = kindOf(one, healthPaths);
    const { method, path, answer } = one;
    finder.note({ method, origin: target, path, ...(answer && { answer }) }); // The path is below the base URL.
    const described = recorder.record(one, kind);
    add(kind, one, () => described);
    onCall?.(callOf(exchange, { kind, exchange: one, recorded: described }));
    reportTrouble(exchange);
  }

  function reportTrouble({ failure, proxyAnswer }: Exchange): void {
    if (failure === undefined || proxyAnswer === undefined || reported.has(failure)) return;
    if (reported.size === MOST_REPORTED) return;
    reported.add(failure);
    onTrouble?.(`The service at ${target} ${failure}. See whether it runs, and whether --target is right.`);
  }

  return {
    add(exchange: Exchange): void {
      const drop = () => {
        exchange.body.drop();
        exchange.answer?.body.drop();
      };
      const { answer } = exchange;
      if (isStopped) drop();
      else if (waiting === 0 && !(answer && isCoded(answer))) {
        record(exchange, answer?.body.content());
        drop();
      } else {
        waiting++;
        recorded = recorded
          .then(async () => record(exchange, answer && (await contentOf(answer))))
          .finally(() => {
            waiting--;
            drop();
          });
      }
    },
    /** Ignores what passes from now on. */
    stop(): void {
      isStopped = true;
    },
    /** What was seen, with its verdicts. */
    async result() {
      await recorded;
      const recording: Recording = {
        ...{ file: 'mrs proxy', creator: '', entries, baseUrl: target, healthPaths, hasAllHeaders: true },
        ...{ recorder, exchanges: inOrder(kept), left },
      };
      const judged = judgeRecording(recording, { lifetimes, processes });
      /** The base URL that token requests were answered below, where the target seems to be a wrong one. */
      const elsewhere = judged.secrets.redact(finder.otherThan(target));
      return { recording, judged, elsewhere };
    },
  };
}

const MOST_REPORTED = 20;
/** Of a decoded body, in bytes. */
const MOST_DECODED = 32 * 1024 * 1024;
/** Of the body of a request, in bytes. */
const MOST_BODY_BYTES = 64 * 1024;
const GONE = 'gave no answer before the client disconnected';

interface Known {
  origin: string;
  /** The body of the answer without its content codings. */
  content: Buffer | undefined;
  headOf(raw: readonly string[]): readonly Field[];
}

/** In the form in which all recorded traffic is judged. `entry` is its number, and its path is below the base URL. */
function recordedOf(exchange: Exchange, entry: number, { origin, content, headOf }: Known): RecordedExchange {
  const { target, method, rawHeaders, body, answer, startMs, endMs, failure, ended, proxyAnswer } = exchange;
  const end = target.indexOf('?');
  const isAnswered = answer && !ended && (failure === undefined || proxyAnswer !== undefined);
  // Made of the bytes that are kept only: a part of a text would keep all of it in memory.
  const text = body.bytes > 0 ? body.content()?.toString('utf8', 0, MOST_BODY_BYTES) : undefined;
  return {
    entry,
    startMs,
    endMs,
    method: method.slice(0, 40),
    origin,
    path: end === -1 ? target : target.slice(0, end),
    query: end === -1 ? [] : [...new URLSearchParams(target.slice(end + 1))],
    headers: headOf(rawHeaders),
    ...(text !== undefined && { body: text }),
    ...(isAnswered
      ? { answer: { status: answer.status, headers: headOf(answer.rawHeaders), readBody: () => content } }
      : { failure: failure ?? (answer && ended !== 'gone' ? INCOMPLETE : GONE) }),
    ...(proxyAnswer !== undefined && { proxyAnswer }),
  };
}

const CODING = 'content-encoding';

const isCoded = ({ rawHeaders }: Answer): boolean =>
  rawHeaders.some(
    (text, at) => at % 2 === 0 && text.length === CODING.length && text.toLowerCase() === CODING,
  );

/** Without its content codings; undefined if it is not there as a whole. */
async function contentOf({ rawHeaders, body }: Answer): Promise<Buffer | undefined> {
  const content = body.content();
  const lines = fieldsOf(rawHeaders).flatMap(([name, value]) => (name === CODING ? value : []));
  if (!content || lines.length === 0) return content;
  try {
    return await decode(content, acceptedCodings(lines), MOST_DECODED);
  } catch {
    return undefined; // Whether the client can read it is not known: nothing that depends on it is judged.
  }
}
