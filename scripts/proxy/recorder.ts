/** What becomes of each exchange that has passed: it is recorded, shown, kept for the file, and judged. */
import { hash } from 'node:crypto';
import { clip, inOneLine } from '../../tests/report/text.ts';
import { acceptedCodings, decode, INCOMPLETE } from '../../tests/server/probe/http.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { wrongBaseUrl } from '../../tests/traffic/base-url.ts';
import { credentialsIn, isMark, secretsOfExchange } from '../../tests/traffic/credentials.ts';
import { fieldNamed, kindOf, type RecordedExchange } from '../../tests/traffic/exchange.ts';
import { inOrder } from '../../tests/traffic/times.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import { type JudgedRecording, judgeRecording } from '../judge/judge-recording.ts';
import { createCollection, type Judged, type Recording } from '../judge/read-recording.ts';
import { type Call, createCallReader } from './call.ts';
import { type Answer, type Exchange, inLowerCase, type ProxyError } from './exchange.ts';
import type { HarFile } from './har-file.ts';

export interface RecorderOptions {
  /** Of the service, without a slash at its end. */
  target: string;
  tokenLifetime?: AgreedLifetimes | undefined;
  processes: number;
  /** As readHealthPaths returns them. */
  healthPaths?: readonly string[] | undefined;
  har?: HarFile | undefined;
  /** Called with each call, once it is recorded. */
  onCall?: ((call: Call) => void) | undefined;
  onFinding(line: string): void;
  /** Called with a sentence when the service cannot be reached, once for each cause. */
  onTrouble?(sentence: string): void;
}

export function createRecorder({
  target,
  tokenLifetime: lifetimes,
  processes,
  healthPaths = [],
  har,
  onCall,
  onFinding,
  onTrouble,
}: RecorderOptions) {
  const secrets = createKnownSecrets();
  const { origin } = new URL(target);
  const kept = createLiveRecording(target, healthPaths);
  const callOf = createCallReader(secrets.redact);
  /** Keys of the findings and causes that were reported. */
  const reported = new Set<string>();
  const own = { unanswered: 0, injected: 0 };
  let entries = 0;
  /** One after the other, in their order: a small body may decode to a large one. */
  let recorded = Promise.resolve();
  let isStopped = false;
  let latest: { of: number; judged: JudgedRecording } | undefined;
  let tookMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  /** What calls and answers looked like, as digests. */
  const seen = new Set<string>();

  async function record(exchange: Exchange): Promise<void> {
    const one = await recordedOf(exchange, ++entries, origin);
    if (one.proxyAnswer?.startsWith('injected')) own.injected++;
    else if (one.proxyAnswer !== undefined) own.unanswered++;
    const judged = kept.add(one);
    secrets.note(judged, kept.hidden);
    exchange.onRecorded?.(judged.kind === 'token' ? judged.recorded.token : undefined);
    reportTrouble(exchange);
    if (har || onCall) {
      const call = callOf(exchange, judged);
      onCall?.(call);
      har?.add(call, judged, secrets);
    }
    planJudgement(judged);
  }

  /** Soon for a call that differs from those before: one like them seldom shows something new. */
  function planJudgement({
    kind,
    exchange: { method, path, headers, answer, endMs },
    recorded,
  }: Judged): void {
    const sent = `${kind} ${method} ${path} ${fieldNamed(headers, 'authorization')}`;
    const before = seen.size;
    seen.add(hash('sha1', `${sent} ${answer?.status} ${recorded.response?.digest}`));
    const waitMs = Math.max(seen.size > before ? LEAST_MS : MOST_MS, SHARE * tookMs);
    if (endMs + waitMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = endMs + waitMs;
    timer = setTimeout(judge, waitMs).unref();
    if (seen.size > MOST_SEEN) seen.clear();
  }

  function reportTrouble({ failure, problem, proxyAnswer }: Exchange): void {
    if (failure === undefined || problem === undefined || proxyAnswer === undefined) return;
    if (reported.has(problem)) return;
    reported.add(problem);
    onTrouble?.(
      secrets.redact([`The service at ${target} ${failure}.`, NEXT[problem] ?? []].flat().join(' ')),
    );
  }

  /** The verdicts by now: judges what has not been judged. */
  function judge(): JudgedRecording {
    clearTimeout(timer);
    dueMs = Number.POSITIVE_INFINITY;
    if (latest?.of === kept.size) return latest.judged;
    const begun = performance.now();
    const judged = judgeRecording(kept.recording(), { lifetimes, processes });
    latest = { of: kept.size, judged };
    reportFindings(judged);
    tookMs = performance.now() - begun;
    return judged;
  }

  function reportFindings(judged: JudgedRecording): void {
    const other = kept.elsewhere();
    const found =
      other === undefined
        ? findingsOf(judged)
        : [['target', wrongBaseUrl('! The token requests', '--target', target, other)] as const]; // Every call seems wrong.
    const fresh = found.filter(([key]) => !reported.has(key));
    for (const [key, line] of fresh) {
      reported.add(key);
      onFinding(clip(inOneLine(secrets.redact(line)), LONGEST_LINE));
    }
  }

  return {
    add(exchange: Exchange): void {
      const drop = () => {
        exchange.body.drop();
        exchange.answer?.body.drop();
      };
      if (isStopped) drop();
      else recorded = recorded.then(() => record(exchange)).finally(drop);
    },
    /** Resolves when what has been added by now is recorded. */
    settled: (): Promise<void> => recorded,
    /** Ignores what passes from now on. */
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
    /** What was seen, with its verdicts. */
    async result() {
      await recorded;
      /** The base URL of the service, where the target seems to be a wrong one. */
      const elsewhere = secrets.redact(kept.elsewhere());
      const judged = judge();
      clearTimeout(timer);
      return { recording: kept.recording(), judged, own, secrets, elsewhere };
    },
  };
}

/** Time between two judgements, as a multiple of what the last one took: it must not slow the traffic down. */
const SHARE = 30;
const LEAST_MS = 1000;
/** Until calls are judged that are like those before. */
const MOST_MS = 60_000;
const MOST_SEEN = 10_000;
const LONGEST_LINE = 300;

/** What to do where no request reaches the service. */
const NEXT: Readonly<Partial<Record<ProxyError, string>>> = {
  connection_refused: 'Start the service, or correct the host and port of --target.',
  connection_terminated: 'See the log of the service, or correct the scheme and port of --target.',
  connection_timeout: 'See whether a firewall is in the way, or correct --target.',
  destination_ip_unroutable: 'See whether this machine has a route to it, or correct --target.',
  dns_error: 'Correct the host of --target, or see whether this machine can look names up.',
  http_protocol_error: 'See whether --target names the scheme and port of an HTTP service.',
  tls_protocol_error: 'If it speaks plain http at this port, correct the scheme of --target.',
};

/** What is wrong, each with a key: each requirement once, and each rule once for each client. */
function findingsOf({ server, clients }: JudgedRecording): [key: string, line: string][] {
  return [
    ...server.flatMap(({ verdict, requirement, seen }): [string, string][] => {
      const { id, violation, statement } = requirement;
      if (verdict !== 'failed') return [];
      return [[id, `✗ service: ${id} failed: ${violation ?? statement} Seen: ${seen}.`]];
    }),
    ...clients.flatMap(({ id, certificate }) =>
      certificate.rules.flatMap(({ id: rule, verdict, findings: [first] }): [string, string][] => {
        if (!first || (verdict !== 'failed' && verdict !== 'warned')) return [];
        const mark = verdict === 'failed' ? '✗' : '!';
        return [[`${rule} ${id}`, `${mark} ${id}: ${rule} ${verdict}: ${first.seen}`]];
      }),
    ),
  ];
}

/**
 * The traffic so far, as a recording that can be judged at any time. Bodies are described and dropped. `baseUrl` has no
 * slash at its end; `healthPaths` are as readHealthPaths returns them.
 */
export function createLiveRecording(baseUrl: string, healthPaths: readonly string[]) {
  const { add, finder, kept, left, recorder } = createCollection();
  let entries = 0;
  return {
    /** Keeps what is judged of it: nothing of a preflight, and nothing beyond the limits. */
    add(exchange: RecordedExchange): Judged {
      entries++;
      const kind = kindOf(exchange, healthPaths);
      finder.note({ ...exchange, origin: baseUrl }); // Its path is the one below the base URL.
      const recorded = recorder.record(exchange, kind);
      add(kind, exchange, () => recorded);
      return { kind, exchange, recorded };
    },
    /** The number of exchanges that are judged. */
    get size() {
      return kept.length;
    },
    /** Values in token answers that may be credentials. */
    hidden: recorder.hidden,
    /** The base URL that token requests were answered below, where none went to an operation below that of the recording. */
    elsewhere: () => finder.otherThan(baseUrl),
    recording: (): Recording => ({
      ...{ file: 'mrs proxy', creator: '', entries, baseUrl, healthPaths, hasAllHeaders: true, recorder },
      exchanges: inOrder(kept),
      left: { ...left },
    }),
  };
}

/** Of a decoded body, in bytes. */
const MOST_DECODED = 32 * 1024 * 1024;
/** Of the body of a request, in bytes. */
const MOST_BODY_BYTES = 64 * 1024;
const GONE = 'gave no answer before the client disconnected';

/** In the form in which all recorded traffic is judged. `entry` is its number, and its path is below the base URL. */
export async function recordedOf(
  exchange: Exchange,
  entry: number,
  origin: string,
): Promise<RecordedExchange> {
  const { target, method, headers, body, answer, startMs, endMs, failure, ended, proxyAnswer } = exchange;
  const content = answer && (await contentOf(answer));
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
    headers: inLowerCase(headers),
    ...(text !== undefined && { body: text }),
    ...(isAnswered
      ? { answer: { status: answer.status, headers: inLowerCase(answer.headers), readBody: () => content } }
      : { failure: failure ?? (answer && ended !== 'gone' ? INCOMPLETE : GONE) }),
    ...(proxyAnswer !== undefined && { proxyAnswer }),
  };
}

/** Without its content codings; undefined if it is not there as a whole. */
async function contentOf({ headers, body }: Answer): Promise<Buffer | undefined> {
  const content = body.content();
  const lines = headers.flatMap(([name, value]) => (name.toLowerCase() === 'content-encoding' ? value : []));
  if (!content || lines.length === 0) return content;
  try {
    return await decode(content, acceptedCodings(lines), MOST_DECODED);
  } catch {
    return undefined; // Whether the client can read it is not known: nothing that depends on it is judged.
  }
}

/** More would slow the traffic down, since each is searched for in all that is shown. */
const MOST_SECRETS = 5000;
const MOST_SECRET_CHARACTERS = 2 * 1024 * 1024;
/** A shorter value would be found in ordinary words. */
const SHORTEST = 4;
/** Parts of a longer value are not searched for. */
const WITH_PARTS = 100;
/** Of a token answer, this much is searched for values that may be credentials. */
const SEARCHED_BYTES = 1024 * 1024;
/** What faulty clients send in the place of a token. */
const UNSET = /^(undefined|null|none|nil|nan|true|false)$/i;
/** In a token answer of whatever form: longer than a word. Addresses have a colon, so that none is found as a whole. */
const LONG_WORD = /[\w.~+/=-]{20,}/g;

/** The secrets and tokens that passed, known by the places that they had. They hide them wherever else they are. */
function createKnownSecrets() {
  const secrets = createSecrets();
  const known = new Set<string>();
  let characters = 0;
  let isComplete = true;

  function register(value: string | undefined, alias: string): void {
    if (value === undefined || value.length < SHORTEST || known.has(value)) return;
    if (isMark(value) || UNSET.test(value)) return;
    if (known.size >= MOST_SECRETS || characters + value.length > MOST_SECRET_CHARACTERS) {
      isComplete = false;
      return;
    }
    const own = Buffer.from(value, 'utf16le').toString('utf16le'); // A part of a text would keep all of it in memory.
    known.add(own);
    characters += own.length;
    secrets.register(own, alias, { whole: alias === 'hidden' || own.length > WITH_PARTS });
  }

  return {
    redact: secrets.redact,
    isComplete: () => isComplete,
    /** Adds those of an exchange; `hidden` are values in token answers that may be credentials. */
    note({ exchange, kind, recorded: { token } }: Judged, hidden: Iterable<string>): void {
      register(credentialsIn(exchange).clientSecret, 'client-secret');
      register(token, 'token');
      for (const [value, alias] of secretsOfExchange(exchange)) register(value, alias);
      if (kind !== 'token') return;
      for (const value of hidden) register(value, 'hidden');
      const text = exchange.answer?.readBody()?.toString('utf8', 0, SEARCHED_BYTES) ?? '';
      for (const [word] of text.matchAll(LONG_WORD))
        if (/\d/.test(word) && !word.includes('//')) register(word, 'hidden');
    },
  };
}
