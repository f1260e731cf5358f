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
import { createCollection, type Judged, type Numbered, type Recording } from '../judge/read-recording.ts';
import { type Call, createCallReader } from './call.ts';
import { type Answer, type Exchange, fieldsOf, type ProxyError } from './exchange.ts';
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
  const known = createRepeats();
  let entries = 0;
  /** One after the other, in their order: a small body may decode to a large one. */
  let recorded = Promise.resolve();
  let waiting = 0;
  let isStopped = false;
  let latest: { of: number; judged: JudgedRecording } | undefined;
  let tookMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  /** What calls and answers looked like, as digests. */
  const seen = new Set<string>();

  /** `content` is the body of the answer without its content codings. */
  function record(exchange: Exchange, content: Buffer | undefined): void {
    const key = keyOf(exchange);
    const before = key === undefined ? undefined : known.find(key, exchange);
    if (before) {
      repeat(exchange, before);
      return;
    }
    const one = recordedOf(exchange, ++entries, origin, content);
    if (one.proxyAnswer?.startsWith('injected')) own.injected++;
    else if (one.proxyAnswer !== undefined) own.unanswered++;
    const judged = kept.add(one);
    if (key !== undefined && judged.kind === 'data') known.add(key, exchange, { judged, kept: kept.last() });
    secrets.note(judged, kept.hidden);
    exchange.onRecorded?.(judged.kind === 'token' ? judged.recorded.token : undefined);
    reportTrouble(exchange);
    show(exchange, judged);
    planJudgement(one.endMs, isNew(judged));
  }

  /** Its secrets are known, and its answer is as it was. */
  function repeat(exchange: Exchange, before: Seen): void {
    const { startMs, endMs } = exchange;
    const nth = { entry: ++entries, startMs, endMs };
    kept.repeat(before.kept, nth);
    exchange.onRecorded?.(undefined);
    if (har || onCall) show(exchange, { ...before.judged, exchange: { ...before.judged.exchange, ...nth } });
    planJudgement(endMs, false);
  }

  function show(exchange: Exchange, judged: Judged): void {
    if (!har && !onCall) return;
    const call = callOf(exchange, judged);
    onCall?.(call);
    har?.add(call, judged, secrets);
  }

  function isNew({
    kind,
    exchange: { method, path, headers, answer },
    recorded: { response },
  }: Judged): boolean {
    const sent = `${kind} ${method} ${path} ${fieldNamed(headers, 'authorization')}`;
    if (seen.size > MOST_SEEN) seen.clear();
    const before = seen.size;
    return seen.add(hash('sha1', `${sent} ${answer?.status} ${response?.digest}`)).size > before;
  }

  /** Soon after a call that differs from those before: one like them seldom shows something new. */
  function planJudgement(endMs: number, isSoon: boolean): void {
    const waitMs = Math.max(isSoon ? LEAST_MS : MOST_MS, SHARE * tookMs);
    if (endMs + waitMs >= dueMs) return;
    clearTimeout(timer);
    dueMs = endMs + waitMs;
    timer = setTimeout(judge, waitMs).unref();
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
  const { add, finder, kept, left, recorder, repeat } = createCollection();
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
    /** Adds a read that equals one before in all but its number and its times. */
    repeat(before: Judged, nth: Numbered): void {
      entries++;
      repeat(before, nth);
    },
    /** The latest that is judged. */
    last: () => kept.at(-1),
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

/**
 * In the form in which all recorded traffic is judged. `entry` is its number, and its path is below the base URL; `content`
 * is the body of the answer without its content codings.
 */
export function recordedOf(
  exchange: Exchange,
  entry: number,
  origin: string,
  content: Buffer | undefined,
): RecordedExchange {
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
    headers: fieldsOf(rawHeaders),
    ...(text !== undefined && { body: text }),
    ...(isAnswered
      ? { answer: { status: answer.status, headers: fieldsOf(answer.rawHeaders), readBody: () => content } }
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

// A client that polls sends and gets the same again and again: what was made of it once is taken again.

/** What was made of a read: with its body, and as it is kept. */
interface Seen {
  judged: Judged;
  kept: Judged;
}

/** Of all bodies that are compared, in bytes. */
const MOST_COMPARED = 16 * 1024 * 1024;
const MOST_REPEATS = 1000;

function createRepeats() {
  const known = new Map<string, Seen & { body: Buffer }>();
  let bytes = 0;
  return {
    /** What was made of an equal one. */
    find(key: string, { answer }: Exchange): Seen | undefined {
      const before = known.get(key);
      const content = before && answer?.body.content();
      return content && before.body.equals(content) ? before : undefined;
    },
    add(
      key: string,
      { answer }: Exchange,
      { judged, kept }: { judged: Judged; kept: Judged | undefined },
    ): void {
      const content = answer?.body.content();
      const { exchange } = judged;
      if (!content || !exchange.answer || kept?.exchange.entry !== exchange.entry) return;
      if (known.size >= MOST_REPEATS || bytes + content.length > MOST_COMPARED) {
        known.clear();
        bytes = 0;
      }
      if (content.length > MOST_COMPARED) return;
      bytes += content.length;
      const body = Buffer.from(content); // A part of what was received would keep all of it in memory.
      known.set(key, { body, kept, judged: { ...judged, exchange: withBody(exchange, body) } });
    },
  };
}

function withBody(exchange: RecordedExchange, body: Buffer): RecordedExchange {
  const { answer } = exchange;
  return answer ? { ...exchange, answer: { ...answer, readBody: () => body } } : exchange;
}

/**
 * Equal for two reads that the service answered alike, but for the body; undefined for what may differ in more than its times.
 * Only of a success with a token, since the words of refusals are noted one by one.
 */
function keyOf({
  method,
  target,
  rawHeaders,
  body,
  answer,
  failure,
  ended,
  proxyAnswer,
}: Exchange): string | undefined {
  if (method !== 'GET' || body.bytes > 0 || failure !== undefined || ended || proxyAnswer !== undefined)
    return undefined;
  if (!answer || answer.status < 200 || answer.status > 299 || isCoded(answer)) return undefined;
  // The number says where those of the answer begin: neither side can move one to the other.
  let key = `${rawHeaders.length}\0${target}\0${answer.status}`;
  let hasToken = false;
  for (const text of rawHeaders) {
    key += `\0${text}`;
    hasToken ||= text.length === AUTHORIZATION.length && text.toLowerCase() === AUTHORIZATION;
  }
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const name = answer.rawHeaders[at] as string;
    // It says when, on which no verdict rests.
    if (name.length !== 4 || name.toLowerCase() !== 'date') key += `\0${name}\0${answer.rawHeaders[at + 1]}`;
  }
  return hasToken ? key : undefined;
}

const AUTHORIZATION = 'authorization';

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
