/** Judges a client by its calls in recorded traffic: by those rules for which the traffic shows enough. */
import { OPTION_ADVICE } from '../support/options.ts';
import { plainName } from '../support/secrets.ts';
import { outcomeOf } from '../support/verdict.ts';
import { isMasked } from '../traffic/credentials.ts';
import {
  acceptIn,
  answerHeader,
  type Field,
  FORM_FIELDS,
  FORM_TYPE,
  fieldNamed,
  isServed,
  REDIRECTS,
  type RecordedCall,
  type RecordedExchange,
  requestHeader,
  secondsToWait,
} from '../traffic/exchange.ts';
import { type ClientLifetimes, isMadeUp, type TokenHistory, type TokenLife } from '../traffic/tokens.ts';
import { type Certificate, certificateOf, type JudgedRule, rules, textOf } from './judge.ts';
import type { Rule, Shown } from './rule.ts';
import { type Call, type Life, longLivedFrom, type ScenarioTraffic } from './traffic.ts';

interface ClientTraffic {
  /** Of the client. */
  name: string;
  /** As the history knows it; undefined where no token request has an id. */
  clientId: string | undefined;
  /** In the order of time. */
  calls: readonly RecordedCall[];
  history: TokenHistory;
  lifetimes: ClientLifetimes;
  processes: number;
  /** Why the traffic shows nothing of tokens, as a sentence. */
  lacksTokens?: string | undefined;
  /** Rules that take parts of requests which the recording leaves out, and so do not pass, by their ids. */
  leftOut: ReadonlySet<string>;
  /** Removes secrets. */
  show: (text: string) => string;
}

const LEVELS: readonly Shown[] = ['requests', 'tokens', 'lifetime'];

/** The rules may not take a client for a scenario, whatever its id is. */
const RECORDED = 'recorded traffic';

/** Where no lifetime is known, fewer needless requests may be those of several processes. */
const FEWEST_NEEDLESS = 4;

export function judgeClient(traffic: ClientTraffic) {
  const { name, calls, leftOut, show } = traffic;
  const lifetimeSeconds = lifetimeOf(traffic);
  const { shown, why = '', aliveSeconds } = visibleIn(traffic);
  const isShown = ({ passive }: Rule) =>
    passive !== undefined && LEVELS.indexOf(passive) <= LEVELS.indexOf(shown);
  const { scenarios, ...certificate } = certificateBy(rules.filter(isShown), traffic, lifetimeSeconds);
  const needless = aliveSeconds === undefined ? undefined : needlessRenewals(traffic, aliveSeconds);
  const entryOf = (id: number) => calls[id - 1]?.entry ?? id;
  const judged = rules.map((rule): JudgedRule => {
    const { id, passive } = rule;
    const found = certificate.rules.find((one) => one.id === id) ?? (needless?.id === id && needless);
    if (!found) {
      const reason = passive === undefined ? 'Recorded traffic does not show it. mrs certify tests it.' : why;
      return { ...textOf(rule), verdict: 'not-seen', reason, findings: [] };
    }
    const findings = found.findings.map((one) => ({ ...one, scenario: name, calls: one.calls.map(entryOf) }));
    const { verdict, ...rest } = { ...found, findings };
    if (verdict === 'passed' && leftOut.has(id))
      return { ...rest, verdict: 'not-seen', reason: 'The recording leaves it out.' };
    const isOpen = verdict === 'could-not-run' || verdict === 'not-applicable';
    return { ...rest, verdict: isOpen ? 'not-seen' : verdict };
  });
  const isShort = rules.some(({ required }, at) => required === true && judged[at]?.verdict === 'not-seen');
  const outcome = outcomeOf(judged, { partial: isShort });
  const scenario = scenarios[0] as Certificate['scenarios'][number];
  // Calls, also those of findings, have the numbers of their entries in the file.
  const shownCalls = scenario.calls.map((call) => ({ ...shownCall(call, show), id: entryOf(call.id) }));
  return { ...certificate, rules: judged, scenario: { ...scenario, name, calls: shownCalls }, outcome };
}

/** The lifetime that was agreed or seen, in seconds; undefined where neither is known. */
const lifetimeOf = ({ clientId, history, lifetimes }: ClientTraffic): number | undefined =>
  lifetimes.agreed(clientId) ?? history.seenLifetimes.get(clientId)?.atMostSeconds;

/** How much the traffic shows, and why not more. `aliveSeconds`: an age at which tokens live, where nothing else is known. */
function visibleIn(traffic: ClientTraffic): { shown: Shown; why?: string; aliveSeconds?: number } {
  const { calls, history, lifetimes, clientId, lacksTokens } = traffic;
  const issues = calls.filter((call) => call.kind === 'token' && isServed(call));
  const lives = new Set(issues.map(history.lifeOf));
  const reasons = [
    lacksTokens,
    issues.some(({ hasBody }) => !hasBody) && 'The file does not have the bodies of all token responses.',
    issues.length > 1 && issues.some(lacksClient) && 'The file does not show which clients asked for tokens.',
    [...lives].some((life) => life?.isShared) &&
      'The service gave the same token to several clients, so the traffic does not show which of them read.',
  ];
  const why = reasons.find((reason) => typeof reason === 'string');
  if (why) return { shown: 'requests', why };
  const doubt = lifetimes.doubt(clientId);
  if (doubt !== undefined) return { shown: 'tokens', why: doubt };
  const hasEnded = calls.some((call) => {
    const life = history.lifeOf(call);
    return life?.accepted !== undefined && life.refused?.status === 403 && !life.isSuperseded;
  });
  // A token that is handed out again may be as old as before, or new.
  const isReissued = [...lives].some((life) => life && life.reissued.length > 0);
  if (lifetimeOf(traffic) !== undefined || (lives.size <= 1 && !hasEnded && !isReissued))
    return { shown: 'lifetime' };
  const unknown = `How long tokens live is not known. ${OPTION_ADVICE.lifetime}`;
  const aliveSeconds = history.acceptedSeconds.get(clientId) ?? 0;
  return { shown: 'tokens', why: unknown, ...(!hasEnded && !isReissued && { aliveSeconds }) };
}

/** Whether the recorder left out, or replaced, the id of the client: there may be several. */
const lacksClient = (call: RecordedCall): boolean =>
  call.clientId === undefined
    ? call.form === undefined &&
      /^application\/x-www-form/i.test(requestHeader(call, 'content-type') ?? FORM_TYPE)
    : isMasked(call.clientId);

function certificateBy(judgeable: readonly Rule[], traffic: ClientTraffic, seconds: number | undefined) {
  const played = scenarioTrafficOf(traffic, seconds);
  const run = { traffic: played, summary: RECORDED, state: 'seen' as const };
  return certificateOf([run], { rules: judgeable, scenarios: [] });
}

/** Whether a client asks for tokens while it has one that is accepted later: needless, however long tokens live. */
function needlessRenewals(traffic: ClientTraffic, aliveSeconds: number): JudgedRule | undefined {
  const reuse = rules.filter(({ id }) => id === 'token-reuse');
  const [found] = certificateBy(reuse, traffic, aliveSeconds).rules;
  const isClear = found?.findings.some(({ calls }) => calls.length >= FEWEST_NEEDLESS);
  return found?.verdict === 'failed' && isClear ? found : undefined;
}

// The calls of a client as the rules read those of a scenario.

/** Of a token whose lifetime is not known: longer than any recording. */
const UNKNOWN_LIFETIME_SECONDS = 10 * 365 * 86_400;

function scenarioTrafficOf(
  { calls, history, processes, show, lifetimes, clientId }: ClientTraffic,
  lifetimeSeconds: number | undefined,
): ScenarioTraffic {
  const agreedSeconds = lifetimeSeconds ?? UNKNOWN_LIFETIME_SECONDS;
  const fromMs = calls[0]?.startMs ?? 0;
  const carried = new Set(calls.flatMap((call) => history.lifeOf(call) ?? []));
  const lives = [...carried].sort((a, b) => a.number - b.number);
  const numbers = new Map(lives.map((life, at) => [life, at + 1]));
  const issues = calls.filter((call) => isIssue(call) && call.token !== undefined);
  /** Those that obtained a token, and the first of them that is in the file. */
  const goodSecrets = new Set(issues.map(({ clientSecret }) => clientSecret));
  const firstSecret = [...goodSecrets].find(isReadable);
  const redirected = redirectedCalls(calls);
  return {
    ...{ name: RECORDED, agreedSeconds, lifetimesSeconds: [agreedSeconds], processes, lost: 0 },
    ...(lifetimes.agreed(clientId) === undefined
      ? { isUnagreed: true }
      : { longLived: agreedSeconds >= longLivedFrom }),
    ...{ calls: calls.map(callOf), lives: lives.map(lifeOf), isCut: true },
    durationMs: calls.reduce((latest, { endMs }) => Math.max(latest, endMs), fromMs) - fromMs,
    shown: (call) => shownCall(call, show),
  };

  function lifeOf({ issued, refused, hasExpired }: TokenLife, at: number): Life {
    // One that was issued before the recording was alive when it began. A client may count from when it asked for its token.
    const issuedMs = issued ? issued.startMs - fromMs : -1;
    const expiresMs = (issued ? issued.endMs - fromMs : -1) + agreedSeconds * 1000;
    const wasEarly =
      hasExpired &&
      refused &&
      (issued ? refused.endMs - issued.startMs < agreedSeconds * 1000 : refused.startMs - fromMs < expiresMs);
    return { number: at + 1, issuedMs, expiresMs, ...(wasEarly && { endedMs: refused.startMs - fromMs }) };
  }

  function callOf(call: RecordedCall, at: number): Call {
    const { kind, sentMs, startMs, endMs, status, form, token, misplaced } = call;
    const { method, path, query, headers, answer, proxyAnswer } = call;
    const life = history.lifeOf(call);
    const number = life && (kind === 'data' || isIssue(call)) ? numbers.get(life) : undefined;
    const accept = acceptIn(headers);
    const contentType = requestHeader(call, 'content-type');
    // A date counts by the recorder's clock.
    const answeredMs = sentMs + endMs - startMs;
    const retryAfterSeconds = secondsToWait(answerHeader(answer, 'retry-after'), answeredMs);
    const isConditional = (['if-none-match', 'if-modified-since'] as const).some(
      (name) => requestHeader(call, name) !== undefined,
    );
    const isExpired = life !== undefined && hadExpired(call, life);
    const ofRead = life ? (isExpired ? 'expired' : 'valid') : 'unknown';
    const standing = kind === 'data' ? token !== undefined && ofRead : number !== undefined && 'valid';
    return {
      ...{ id: at + 1, kind, method, path, misplaced, status: status ?? 0 },
      ...{ startMs: startMs - fromMs, endMs: endMs - fromMs, atMs: startMs - fromMs },
      query: query.map(([name]) => name),
      // With a secret in the query, each repetition would be another target.
      target: `${method} ${path}?${misplaced.some(({ where }) => where === 'query') ? '' : call.queryDigest}`,
      reason: reasonOf(call, isExpired),
      ...(proxyAnswer !== undefined && { proxyAnswer }),
      ...(status === undefined && { ended: 'gone' }),
      ...(number !== undefined && { token: number }),
      ...(standing && { standing }),
      ...(redirected.has(call) && { isRedirected: true }),
      ...(isConditional && { isConditional: true }),
      ...(call.lacks.includes('headers') && { lacksHeaders: true }),
      ...(accept !== undefined && { accept: accept.slice(0, 200) }),
      ...(contentType !== undefined && { contentType: contentType.slice(0, 200) }),
      ...authorizationOf(call),
      ...(form && { fields: form.map(([name]) => name) }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }

  /** Whether the token had expired when the call was answered. */
  function hadExpired({ startMs }: RecordedCall, { issued, refused, hasExpired }: TokenLife): boolean {
    if (hasExpired && refused && startMs >= refused.startMs) return true;
    return issued !== undefined && (startMs - issued.endMs) / 1000 >= (lifetimeSeconds ?? Infinity);
  }

  function reasonOf({ kind, status, form, token, clientSecret }: RecordedCall, isExpired: boolean): string {
    if (status === undefined) return 'no-answer';
    if (kind === 'token') {
      if (form && !isSound(form)) return 'invalid-request';
      const grant = (form && fieldNamed(form, 'grant_type')) ?? 'client_credentials';
      if (grant !== 'client_credentials' && !isMasked(grant)) return 'unsupported-grant-type';
      const isOther = isReadable(clientSecret) && clientSecret !== firstSecret;
      if (status < 300) return isOther ? 'other-credentials' : 'issued';
      const isWrong = goodSecrets.size > 0 && !goodSecrets.has(clientSecret);
      return status < 500 && isWrong ? 'wrong-credentials' : 'refused';
    }
    if (kind === 'data' && token !== undefined && isMadeUp(token)) return 'unknown-token';
    if (status < 400) return 'served';
    return isExpired ? 'expired' : 'refused';
  }
}

/** A call as sentences and tables quote it. */
function shownCall(call: Call, show: (text: string) => string): Call {
  const { method, path, query, proxyAnswer, accept, contentType, fields } = call;
  const names = (all: readonly string[]) => all.slice(0, 50).map((name) => show(plainName(name)));
  return {
    ...call,
    ...{ target: '', method: show(method), path: show(path), query: names(query) },
    ...(proxyAnswer !== undefined && { proxyAnswer: show(proxyAnswer) }),
    ...(accept !== undefined && { accept: show(accept) }),
    ...(contentType !== undefined && { contentType: show(contentType) }),
    ...(fields && { fields: names(fields) }),
  };
}

const isReadable = (secret: string | undefined): boolean => secret !== undefined && !isMasked(secret);

const isIssue = ({ kind, status }: RecordedCall): boolean =>
  kind === 'token' && status !== undefined && status < 300;

/** What a recorder has replaced counts in favour of the client. */
function authorizationOf({ kind, authorization, token }: RecordedCall): Pick<Call, 'authorization'> {
  if (authorization === undefined || (authorization === 'masked' && kind === 'token')) return {};
  const isBearer = authorization === 'masked' || (authorization === 'bearer' && token !== '');
  return { authorization: isBearer ? 'bearer' : 'malformed' };
}

/** Each field at most once, and none empty. */
const isSound = (form: readonly Field[]): boolean =>
  FORM_FIELDS.every((name) => {
    const values = form.filter(([field]) => field === name);
    return values.length <= 1 && values.every(([, value]) => value !== '');
  });

const MOST_TARGETS = 20;

/** Calls of no operation to which an answer to an earlier call sent the client. In the order of time. */
function redirectedCalls(calls: readonly RecordedCall[]): ReadonlySet<RecordedCall> {
  const targets = new Set<string>();
  const redirected = calls.filter((call) => {
    const isSentThere = call.kind === 'other' && [...targets].some((path) => path.endsWith(call.path));
    const isOwn = call.kind !== 'other' || isSentThere;
    const path = isOwn && REDIRECTS.includes(call.status ?? 0) ? redirectOf(call) : undefined;
    if (path !== undefined && targets.size < MOST_TARGETS) targets.add(path);
    return isSentThere;
  });
  return new Set(redirected);
}

/** The path of a Location at the host of the call. Behind a gateway, a service may name http in place of https. */
export function redirectOf({
  origin,
  path,
  answer,
}: Pick<RecordedExchange, 'origin' | 'path' | 'answer'>): string | undefined {
  const location = answerHeader(answer, 'location');
  const from = origin + path;
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const { host, pathname } = new URL(location, from);
  return host === new URL(from).host ? pathname : undefined;
}
