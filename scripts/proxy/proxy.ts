/** A proxy that listens, keeps what is judged of each exchange that has passed, and judges it at the end. */
import { close, listen } from '../../mocks/server.ts';
import { acceptedCodings, decode, INCOMPLETE } from '../../tests/server/probe/http.ts';
import {
  createPool,
  type Field,
  fieldNamed,
  kindOf,
  type RecordedExchange,
  UNREAD,
} from '../../tests/traffic/exchange.ts';
import { inOrder } from '../../tests/traffic/times.ts';
import { judgeRecording } from '../judge/judge-recording.ts';
import { createCollection, type Recording } from '../judge/read-recording.ts';
import { type Call, createCallReader } from './call.ts';
import { createProxyServer, createService, type Forwarded } from './forward.ts';
import type { Seen } from './har-file.ts';

export interface ProxySettings {
  /** Of the service, without a slash at its end. */
  target: string;
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[];
  /** In seconds, as agreed with the operator. */
  tokenLifetime?: number | undefined;
  processes: number;
  /** Called with each call, once it is recorded. */
  onCall?: ((call: Call) => void) | undefined;
  /** Called with a sentence when the service cannot be reached, once for each failure. */
  onTrouble?(sentence: string): void;
}

/** Of a body that is kept until it is recorded, and of all of them together, in bytes. */
const CAPTURES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const HEAD_BYTES = 64 * 1024;

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings) {
  const { target, port, host, authorities } = settings;
  const recorder = createRecorder(settings);
  const server = createProxyServer({
    service: createService(target, authorities),
    headBytes: HEAD_BYTES,
    captures: CAPTURES,
    onPassed: recorder.add,
  });
  /** Stops listening, and closes every connection; what is under way is not judged. May be called again. */
  const stop = async () => {
    recorder.stop();
    await close(server);
  };
  try {
    /** What clients use as the base URL. */
    const url = await listen(server, port, host);
    /** `result`: what was seen, with its verdicts; to be called when it is closed. */
    return { url, close: stop, result: recorder.result, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What becomes of each exchange that has passed. */
export function createRecorder({
  target,
  tokenLifetime: lifetimeSeconds,
  processes,
  onCall,
  onTrouble,
}: Omit<ProxySettings, 'port' | 'host'>) {
  const { origin } = new URL(target);
  const { add, finder, kept, left, recorder } = createCollection();
  const callOf = createCallReader();
  /** Most calls have the same heads as one before: they are read and kept once. No field has a line break. */
  const headOf = createPool(
    (raw: readonly string[]) =>
      raw.flatMap((name, at): Field[] => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : [])),
    (raw) => raw.join('\n'),
  );
  /** Failures that were reported. */
  const reported = new Set<string>();
  let entries = 0;
  /** One after the other, in their order: a small body may decode to a large one. */
  let recorded = Promise.resolve();
  let isStopped = false;

  async function record(passed: Forwarded): Promise<void> {
    const { request, target: sent, body, answer: got, startMs, endMs, failure, ended, proxyAnswer } = passed;
    const entry = ++entries;
    const end = sent.indexOf('?');
    const method = (request.method ?? '').slice(0, 40);
    const path = end === -1 ? sent : sent.slice(0, end);
    // Made of the bytes that are kept only: a part of a text would keep all of it in memory.
    const text = body.bytes > 0 ? body.content()?.toString('utf8', 0, MOST_BODY_BYTES) : undefined;
    const headers = headOf(got?.rawHeaders ?? []);
    let content = got?.body.content();
    if (content && fieldNamed(headers, CODING) !== undefined) content = await decoded(content, headers);
    // The status of a request that was not forwarded is the proxy's own choice, and shows nothing of either side.
    const isRefused = proxyAnswer !== undefined && failure === undefined;
    const isAnswered = got && !ended && (failure === undefined) === (proxyAnswer === undefined);
    const exchange: RecordedExchange = {
      entry,
      sentMs: startMs,
      answeredMs: endMs,
      origin,
      method,
      path,
      kind: kindOf({ method, path }),
      query: end === -1 ? [] : [...new URLSearchParams(sent.slice(end + 1))],
      headers: headOf(request.rawHeaders),
      ...{ lacks: [], misplaced: [], ...UNREAD },
      ...(text !== undefined && { body: text }),
      ...(isAnswered
        ? { answer: { status: got.status, headers } }
        : { failure: failure ?? (isRefused ? NOT_ASKED : got && ended !== 'gone' ? INCOMPLETE : GONE) }),
      ...(proxyAnswer !== undefined && (isAnswered || isRefused) && { proxyAnswer }),
    };
    const { answer } = exchange;
    finder.note({ method, origin: target, path, ...(answer && { answer }) }); // The path is below the base URL.
    const one = recorder.record(exchange, { bytes: () => content });
    add(exchange, () => one);
    onCall?.(callOf(one, ended, isRefused ? got?.status : answer?.status));
    if (failure === undefined || proxyAnswer === undefined || reported.has(failure)) return;
    if (reported.size === MOST_REPORTED) return;
    reported.add(failure);
    onTrouble?.(`The service at ${target} ${failure}. See whether it runs, and whether --target is right.`);
  }

  /** One exchange that is not recorded must not end the traffic. An error may quote what passed: only its place is shown. */
  function lose(error: unknown): void {
    const [, place = ''] =
      /\n +at (.*)/.exec(String((error as Error)?.stack).slice(String(error).length)) ?? [];
    left.unread.first ||= `Exchange ${entries} was not recorded (error at ${place})`;
    if (++left.unread.count === 1)
      onTrouble?.(`${left.unread.first}. It passed, and is not judged. Report this to the authors of mrs.`);
  }

  return {
    add(passed: Forwarded): void {
      const drop = () => {
        passed.body.drop();
        passed.answer?.body.drop();
      };
      if (isStopped) drop();
      else
        recorded = recorded
          .then(() => record(passed))
          .finally(drop)
          .catch(lose);
    },
    /** Ignores what passes from now on. */
    stop(): void {
      isStopped = true;
    },
    /** What was seen, with its verdicts. `onFound` is called with the first part of it, before the longer part of the work. */
    async result(onFound?: (seen: Seen) => void) {
      await recorded;
      const recording: Recording = {
        ...{ file: 'mrs proxy', creator: '', entries, baseUrl: target, hasAllHeaders: true },
        ...{ recorder, exchanges: inOrder(kept), left },
      };
      const judged = judgeRecording(recording, { lifetimeSeconds, processes }, (found) =>
        onFound?.({ recording, judged: found }),
      );
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
const NOT_ASKED = 'did not get the request, which the proxy refused';

const CODING = 'content-encoding';

/** Without its content codings. Undefined where it does not decode: whether the client can read it is not known. */
async function decoded(content: Buffer, headers: readonly Field[]): Promise<Buffer | undefined> {
  const lines = headers.flatMap(([name, value]) => (name === CODING ? value : []));
  try {
    return await decode(content, acceptedCodings(lines), MOST_DECODED);
  } catch {
    return undefined;
  }
}
