/** A proxy that listens, keeps what is judged of each exchange that has passed, and judges it at the end. */
import { close, listen } from '../../mocks/server.ts';
import { acceptedCodings, decode, INCOMPLETE } from '../../tests/server/probe/http.ts';
import type { Recorded } from '../../tests/server/recorded.ts';
import { type Field, kindOf, type RecordedExchange, UNREAD } from '../../tests/traffic/exchange.ts';
import { inOrder } from '../../tests/traffic/times.ts';
import { judgeRecording } from '../judge/judge-recording.ts';
import { createCollection, type Recording } from '../judge/read-recording.ts';
import { type Call, createCallReader } from './call.ts';
import { createProxyServer, type Forwarded } from './forward.ts';

export interface ProxySettings {
  /** Of the service, without a slash at its end. */
  target: string;
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[] | undefined;
  /** In seconds, as agreed with the operator. */
  tokenLifetime?: number | undefined;
  processes: number;
  /** Called with each call, once it is recorded: as a line shows it, and as the judges read it. */
  onCall?: ((call: Call, recorded: Recorded) => void) | undefined;
  /** Called with a sentence when the service cannot be reached, once for each failure. */
  onTrouble?(sentence: string): void;
}

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings) {
  const { target, port, host, authorities } = settings;
  const recorder = createRecorder(settings);
  const server = createProxyServer({ target, authorities, onPassed: recorder.add });
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
  /** Failures that were reported. */
  const reported = new Set<string>();
  let entries = 0;
  /** One after the other, in their order: a small body may decode to a large one. */
  let recorded = Promise.resolve();
  let isStopped = false;

  async function record({ request, body, answer: got, startMs, endMs, ...more }: Forwarded): Promise<void> {
    const { failure, ended, proxyAnswer } = more;
    const { method = '', url = '', rawHeaders } = request;
    const entry = ++entries;
    const [path = '', query] = url.split(/\?(.*)/s);
    const sent = body.content();
    // Of a form that is too large to keep, no field is known to be missing.
    const isKept = sent !== undefined && sent.length <= MOST_BODY_BYTES;
    const text = isKept ? sent.toString() : undefined;
    const headers = fieldsOf(got?.rawHeaders ?? []);
    const content = await decoded(got?.body.content(), headers);
    const exchange: RecordedExchange = {
      ...{ entry, sentMs: startMs, answeredMs: endMs, origin, method, path },
      ...{ kind: kindOf({ method, path }), query: [...new URLSearchParams(query)] },
      ...{ headers: fieldsOf(rawHeaders), lacks: isKept ? [] : ['form'], misplaced: [], ...UNREAD },
      ...(text && { body: text }),
      ...(got && !ended
        ? { answer: { status: got.status, headers } }
        : { failure: failure ?? (got && ended !== 'gone' ? INCOMPLETE : GONE) }),
      ...(proxyAnswer !== undefined && !ended && { proxyAnswer }),
    };
    const { answer } = exchange;
    finder.note({ method, origin: target, path, ...(answer && { answer }) }); // The path is below the base URL.
    let one: Recorded | undefined;
    add(exchange, () => {
      one = recorder.record(exchange, { bytes: () => content });
      return one;
    });
    if (one) onCall?.(...callOf(one, ended));
    if (failure === undefined || proxyAnswer === undefined || reported.has(failure)) return;
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
    /** What was seen, with its verdicts. */
    async result() {
      await recorded;
      const recording: Recording = {
        ...{ file: 'mrs proxy', creator: '', entries, baseUrl: target, hasAllHeaders: true },
        ...{ recorder, exchanges: inOrder(kept), left },
      };
      const judged = judgeRecording(recording, { lifetimeSeconds, processes });
      /** The base URL that token requests were answered below, where the target seems to be a wrong one. */
      const elsewhere = judged.secrets.redact(finder.otherThan(target));
      return { recording, judged, elsewhere };
    },
  };
}

/** Of a decoded body, in bytes. */
const MOST_DECODED = 32 * 1024 * 1024;
/** Of the body of a request, in bytes. */
const MOST_BODY_BYTES = 64 * 1024;
const GONE = 'gave no answer before the client disconnected';

/** The fields of a head. */
const fieldsOf = (raw: readonly string[]): Field[] =>
  raw.flatMap((name, at): Field[] => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : []));

/** Without its content codings. Undefined where it does not decode: whether the client can read it is not known. */
async function decoded(content: Buffer | undefined, headers: readonly Field[]): Promise<Buffer | undefined> {
  const lines = headers.flatMap(([name, value]) => (name === 'content-encoding' ? value : []));
  try {
    return content && (await decode(content, acceptedCodings(lines), MOST_DECODED));
  } catch {
    return undefined;
  }
}
