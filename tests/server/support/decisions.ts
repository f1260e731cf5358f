/**
 * Which answers are no decision about their request, and why: this follows from other answers of the run.
 * What one answer shows by itself, such as 503, is in condition.ts.
 */
import { several } from '../../report/text.ts';
import { fieldNamed, REDIRECTS } from '../../traffic/exchange.ts';
import type { FailureCode } from '../probe/connection.ts';
import { offersTokens } from '../profile.ts';
import {
  type Condition,
  kindOf,
  mustBeAccepted,
  mustBeRefused,
  type ProbeRow,
  requests,
  rowNamed,
  TOKENS,
} from '../requests.ts';
import { decided } from './condition.ts';
import { isOnlyMessage, speaksOnlyOfError } from './data.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  type Exchange,
  exchanges,
  hasStatus,
  isAnswered,
  isIssued,
  isRefused,
  isServed,
  isSuccess,
  isTransient,
  mapExchanges,
  numberOf,
  type Observed,
  type Probe,
  type Sent,
  timesOf,
} from './evidence.ts';

/** Answers that decide nothing, for one cause: often a mistake in the settings, and never evidence against the deployment. */
export interface Gap {
  /** For programs. */
  reason: string;
  /** The problem, as a short sentence without its full stop. */
  headline: string;
  /** What was seen, and what to do; sentences. */
  sentence: string;
  /** The answers that decide nothing for it. */
  concerned: readonly Exchange[];
  /** Whether some of them were not decided later. */
  isOpen: boolean;
  ends?: Row['ends'];
}

interface Row {
  reason: string;
  /** The exchanges that decide nothing for this reason; none where it does not apply. */
  applies(evidence: Evidence, all: readonly Exchange[]): readonly Exchange[];
  words(
    evidence: Evidence,
    concerned: readonly Exchange[],
  ): Pick<Gap, 'headline' | 'sentence'> & { reason?: string };
  /** Whether it applies to a deployment that offers no tokens too. */
  needsNoTokens?: true;
  /** Set where no requirement can be tested: only those on health checks, which need no credentials, or not even those. */
  ends?: 'all' | 'all but health';
}

/** Of these, the first that ends a run is its only cause. */
const ROWS: readonly Row[] = [
  {
    ...{ reason: 'unavailable', ends: 'all', needsNoTokens: true },
    applies: (_, all) => (all.every((one) => hasStatus(one, 502, 503, 504)) ? all : []),
    words: ({ target }, [first]) => ({
      headline: 'The deployment is not available',
      sentence: `${target.baseUrl} answered every request with ${first?.response?.status}: the service, or what is in front of it, is down. Run again when it is up.`,
    }),
  },
  {
    ...{ reason: 'unreachable', ends: 'all', needsNoTokens: true },
    applies: (_, all) => (all.some(isAnswered) ? [] : all),
    words({ target }, [first]) {
      const { failure = 'gave no answer', failureCode = 'unreachable' } = first ?? {};
      // What is wrong with a certificate says what to do.
      const advice = failureCode === 'tls' ? '' : ` ${ADVICE[failureCode] ?? CHECK_HOST}`;
      return {
        ...(!VAGUE.includes(failureCode) && { reason: failureCode }),
        headline: 'The deployment cannot be reached',
        sentence: `No answer from ${target.baseUrl}: it ${failure}.${advice}`,
      };
    },
  },
  {
    ...{ reason: 'wrong-base-url', ends: 'all' },
    applies(evidence, all) {
      const both = [withoutToken(evidence), evidence.probes['data.withoutToken']];
      const isElsewhere = both.every((one) => hasStatus(one, 404, 405, 410, 501, ...REDIRECTS));
      return isElsewhere || both.every(isPage) ? all : [];
    },
    words({ target, probes }) {
      const statusOf = (probe: Probe | undefined) => isAnswered(probe) && probe.response.status;
      const { 'token.valid': valid, 'data.withoutToken': other } = probes;
      const location = fieldNamed((isAnswered(other) && other.response.headers) || [], 'location') ?? '';
      const to = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
      return {
        headline: 'The base URL seems to be wrong',
        sentence: `There is no such service at ${target.baseUrl}: POST /token/ was answered with ${statusOf(valid)}, GET /ods_data/ with ${statusOf(other)}${to}. Correct the base URL: its host, port and path prefix. The suite adds /token/ and /ods_data/. A gateway that lacks its key may answer so too (--header).`,
      };
    },
  },
  {
    ...{ reason: 'credentials-refused', ends: 'all but health' },
    applies: (evidence, all) =>
      refusesCredentials(evidence) && refusedAlike(evidence).length === 0 ? all : [],
    words({ target, probes }, all) {
      const valid = probes['token.valid'] as Answered;
      // One page for forms and for reads is not the answer of a token endpoint.
      const isAlike =
        valid.response.mediaType === 'text/html' &&
        all.filter(isDecided).every((one) => lookOf(one) === lookOf(valid));
      const advice = 'Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header (--header).';
      return isAlike
        ? {
            headline: 'The deployment refuses every request alike',
            sentence: `${target.baseUrl} answered every request with ${answerInWords(valid)}, also those without credentials. A gateway in front of the service may require a header (--header). Otherwise, check MRS_CLIENT_ID and MRS_CLIENT_SECRET.`,
          }
        : {
            headline: 'The client credentials were refused',
            sentence: `The token endpoint refused the credentials of the client "${target.clientId}" with ${answerInWords(valid)}. ${advice}`,
          };
    },
  },
  {
    reason: 'out-of-order',
    applies: (_, all) => outageAtEnd(all),
    words(evidence, concerned) {
      const answers = [...new Set(concerned.map(({ response }) => response?.status))];
      const what = answers.includes(undefined)
        ? 'had no answer'
        : `were answered with ${answers.join(' and ')}`;
      const headline = `The deployment stopped answering ${timesOf(evidence, concerned.slice(0, 1))}: ${concerned.length} of ${several(evidence.requests, 'request')} ${what}`;
      return { headline, sentence: `${headline}. Run again when it is up.` };
    },
  },
  {
    reason: 'scope-refused',
    applies(_, all) {
      const reads = all.filter((one) => goodKindOf(one) === 'read' && isDecided(one));
      const isForbidden = reads.length > 1 && reads.every((one) => hasStatus(one, 403));
      return isForbidden && all.some((one) => isForm(one) && isAccepted(one)) ? reads : [];
    },
    words: ({ target }, { length }) => ({
      headline: 'The deployment refuses the data with every token',
      sentence: `The deployment issued tokens, and answered all ${length} reads of the data with these tokens with 403. Has the client "${target.clientId}" the scope for the data? Ask the operator, and run again.`,
    }),
  },
  {
    reason: 'stopped-answering',
    applies(evidence, all) {
      const alike = refusedAlike(evidence);
      const isAfter = isWithoutAcceptance(all);
      const banned = new Set<Exchange>(alike);
      return alike.length === 0 ? [] : all.filter((one) => banned.has(one) || isAfter(one));
    },
    words(evidence) {
      const [first, ...others] = refusedAlike(evidence) as [Answered, ...Answered[]];
      const concerned = [first, ...others.filter((one) => lookOf(one) === lookOf(first))];
      const number = numberOf(first);
      const like = `${concerned.length} requests alike, with ${lookInWords(concerned)}`;
      const time = timesOf(evidence, concerned);
      if (number === 1)
        return {
          reason: 'all-refused-alike',
          headline: 'The deployment refuses every request alike',
          sentence: `${evidence.target.baseUrl} refused ${like}, ${time}, also those that need no token. Something in front of the service may need a header (--header), or blocks this address or user agent. Ask the operator, and run again.`,
        };
      const good = refusedKindsOf(concerned).map((kind) => IN_WORDS[kind]);
      return {
        headline: `The deployment stopped answering this client at request ${number}`,
        sentence: `The deployment stopped answering this client at request ${number}, ${time}: it refused ${like}, also requests ${good.join(' and ')}. That looks like a ban, a lock or a firewall, so it decides nothing. Ask the operator to let this client through, and run again. If wrong secrets lock the client, give --safe.`,
      };
    },
  },
  {
    reason: 'stopped-answering',
    applies: (evidence, all) =>
      refusedAlike(evidence).length > 0 ? [] : all.filter(isWithoutAcceptance(all)),
    words(evidence, concerned) {
      const kinds = new Set(concerned.map((one) => (isForm(one) ? 'valid credentials' : 'valid tokens')));
      const headline = `The deployment stopped accepting ${[...kinds].join(' and ')}`;
      return {
        headline,
        sentence: `${headline} at request ${numberOf(concerned[0] as Exchange)}. So ${several(concerned.length, 'refusal')}, ${timesOf(evidence, concerned)}, may be a ban, a lock or a limit, and decide nothing. Ask the operator to let this client through, and run again. If wrong secrets lock the client, give --safe.`,
      };
    },
  },
  {
    reason: 'restarted',
    applies: lostTokens,
    words: (evidence, concerned) => ({
      headline: 'The deployment lost its tokens',
      sentence: `The deployment refused tokens that it had accepted before, with ${lookInWords(concerned)}, ${timesOf(evidence, concerned)}, after an outage, or until it issued a new token. A service that loses its tokens by a restart answers so. Run again.`,
    }),
  },
];

const VAGUE: readonly FailureCode[] = ['hang-up', 'timeout', 'failure'];
const CHECK_HOST = 'Check the scheme, host and port of the base URL, and that the service is up.';
const ADVICE: Partial<Record<FailureCode, string>> = {
  'unknown-host': 'Correct the host name in the base URL.',
  proxy: 'Correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY.',
};

/** Every gap of a run, or only the one that ended it. */
function gapsIn(evidence: Evidence): Gap[] {
  const all = exchanges(evidence);
  const rows = ROWS.filter((row) => row.needsNoTokens || offersTokens(evidence.profile));
  const gaps = rows.flatMap((row): Gap[] => {
    const concerned = all.length > 0 ? row.applies(evidence, all) : [];
    if (concerned.length === 0) return [];
    // What no clause binds is not sent again.
    const judged = requests.flatMap(({ key }) => (key.startsWith('open.') ? [] : evidence.probes[key]));
    const isOpen = concerned.some((one) => judged.includes(one));
    return [{ ...row, ...row.words(evidence, concerned), concerned, isOpen }];
  });
  const end = gaps.find(({ ends }) => ends);
  return end ? [end] : gaps;
}

/** Which answers of a run decide nothing, and why. */
export interface Assessed {
  /** The largest gap: the cause of most of what could not be tested. */
  cause: Gap | undefined;
  /** The evidence in which each answer of a gap is marked as undecided. */
  counted: Evidence;
}

const known = new WeakMap<Evidence, Assessed>();

/** Assesses the evidence of a run, once. */
export function assess(evidence: Evidence): Assessed {
  const before = known.get(evidence);
  if (before) return before;
  const gaps = gapsIn(evidence);
  const [cause] = gaps.toSorted((a, b) => b.concerned.length - a.concerned.length);
  const counted = gaps
    .filter(({ ends }) => !ends)
    .reduceRight((one, { sentence, concerned }) => {
      const ids = new Set(concerned.map(({ id }) => id));
      return mapExchanges(one, (exchange) =>
        ids.has(exchange.id) ? { ...exchange, undecided: sentence } : exchange,
      );
    }, evidence);
  const assessed = { cause, counted };
  known.set(evidence, assessed);
  known.set(counted, assessed);
  return assessed;
}

/** Whether a requirement that asks for these conditions could not be tested, whatever it takes. */
export const endsFor = ({ ends }: Gap, of: readonly Condition[]): boolean =>
  ends === 'all' || (ends === 'all but health' && !of.includes('healthy'));

// Valid credentials that obtained no token.

/** Valid credentials obtained no token: by status they are wrong, or wrong ones are answered alike, and a faulty form is not. */
export function refusesCredentials({ probes }: Pick<Observed, 'probes'>): boolean {
  const valid = withoutToken({ probes });
  if (!valid || 'verdict' in decided(valid)) return false;
  const { status } = valid.response;
  const faulty = probes['token.withoutGrantType'];
  const isAlike = hasStatus(probes['token.unknownClientId'], status) && isAnswered(faulty);
  return hasStatus(valid, 400, 401, 403) || (isAlike && !hasStatus(faulty, status));
}

/** The answer to valid credentials, where it issued no token, and that to the same with a header none either. */
function withoutToken({ probes }: Pick<Observed, 'probes'>): Answered | undefined {
  const { 'token.valid': valid, 'token.withAuthorization': authorized } = probes;
  if (!isAnswered(valid) || isIssued(valid)) return undefined;
  return isAnswered(authorized) && isIssued(authorized) ? undefined : valid;
}

const isPage = (one: Probe | undefined): boolean =>
  isAnswered(one) && isSuccess(one) && one.response.mediaType === 'text/html';

// Requests that a deployment must accept.

type Good = 'form' | 'read' | 'health';
const IN_WORDS = { form: 'with valid credentials', read: 'with valid tokens', health: 'for health' };

const rowOf = ({ what }: Exchange): ProbeRow | undefined => rowNamed(what);

/** Of a request with valid credentials or a valid token, or that needs none, what it asks for. */
function goodKindOf(one: Exchange): Good | undefined {
  if (one.what.startsWith('the health check')) return 'health';
  if (!mustBeAccepted(one.what)) return undefined;
  return isForm(one) ? 'form' : 'read';
}

const isForm = ({ request }: Exchange): boolean => request.method === 'POST' && request.path === '/token/';

const isDecided = (exchange: Exchange): exchange is Answered =>
  isAnswered(exchange) && !isTransient(exchange);

/** Whether it shows that the deployment serves this client. A page in the place of the data may be that of a firewall. */
function isAccepted(exchange: Exchange): boolean {
  const kind = goodKindOf(exchange);
  if (!kind || !isAnswered(exchange)) return false;
  if (kind === 'form') return isIssued(exchange);
  return isSuccess(exchange) && !isPage(exchange) && !speaksOnlyOfError(exchange.response.json);
}

/** What answers that are given without a look at the request have in common. */
const lookOf = ({ response: { status, mediaType = '', json } }: Answered): string =>
  [status, mediaType, ...(json.wellFormed ? (json.fields ?? []) : [])].join(' ');
const lookInWords = ([first]: readonly Exchange[]): string => answerInWords(first as Answered);

// A deployment that has stopped answering.

/** Fewer answers may be alike by chance; of pages with success, to requests that are refused otherwise, fewer. */
const MANY = 8;
const FEW = 4;

/** Answers that are alike, and were given to requests that must be accepted as to those that must be refused, in order. */
export function refusedAlike(sent: Sent): Answered[] {
  const all = exchanges(sent).filter(isDecided);
  // A firewall may guard one path, or answer otherwise at another.
  const forms = all.filter(isForm);
  const others = all.filter((one) => !isForm(one) || isAccepted(one));
  const reads = all.filter(
    (one) => !isForm(one) && goodKindOf(one) !== 'health' && !('aside' in (rowOf(one) ?? {})),
  );
  const bans = [all, forms, others, reads].flatMap((list) =>
    blocksOf(list).filter((block) => (list !== reads && isBan(block)) || isForeign(block, list)),
  );
  const concerned = new Set(bans.flat());
  return all.filter((one) => concerned.has(one));

  /** Whether a read that was refused in it was accepted when it was sent once more at once: a refusal from a cache, and no ban. */
  function isShort(block: readonly Answered[]): boolean {
    const last = block.findLast((one) => goodKindOf(one) === 'read' && !isAccepted(one));
    const next = last && all.slice(all.indexOf(last) + 1).find((one) => goodKindOf(one) === 'read');
    return next?.what === last?.what && next !== undefined && isAccepted(next);
  }

  /** Whether answers that are alike are given without a look at the request. */
  function isBan(block: readonly Answered[]): boolean | undefined {
    const [first] = block as [Answered];
    const refused = refusedKindsOf(block);
    // One token or one form may be refused for what is wrong with it, but not different requests alike.
    const isMixed = block.length >= MANY && block.some(isForm) && !block.every(isForm);
    if (block.length === all.length && withoutToken(sent))
      return isRefused(first) && (refused.length > 1 || (isMixed && !refusesCredentials(sent)));
    // One that begins at a request which must be accepted is over where the next of these is accepted, with the same token.
    const next = all.slice(all.indexOf(block.at(-1) as Answered) + 1).find(goodKindOf);
    const isOver =
      block.length >= MANY &&
      !isShort(block) &&
      next &&
      isAccepted(next) &&
      refused.includes(goodKindOf(next) as Good);
    return wasAccepted(block) && (refused.length > 1 || isMixed || isOver || goodKindOf(first) === undefined);
  }

  /**
   * Whether it is not the service that refuses so: what must be accepted was accepted before, or it is a page or a message with success, and what must be refused was
   * refused otherwise, or has never been refused otherwise nor accepted since.
   */
  function isForeign(block: readonly Answered[], list: readonly Answered[]): boolean {
    const bad = block.filter((one) => badKindOf(one) !== undefined);
    const [first] = block as [Answered];
    const isStray =
      isSuccess(first) && (isPage(first) || isOnlyMessage(first.response.json)) && bad.length >= FEW;
    if (bad.length === 0 || (!wasAccepted(block) && !isStray)) return false;
    const [from, look] = [list.indexOf(block[0] as Answered), lookOf(block[0] as Answered)];
    const isOtherwise = list.some(
      (one) => lookOf(one) !== look && bad.some((own) => badKindOf(own) === badKindOf(one)),
    );
    const isNew = !list.slice(0, from).some((one) => badKindOf(one) !== undefined && lookOf(one) === look);
    return (
      isOtherwise ||
      (wasAccepted(block) && isNew && block.length >= MANY && !list.slice(from).some(isAccepted))
    );
  }

  /** Whether a request that must be accepted was refused, the last of whose kind before was accepted. */
  function wasAccepted(block: readonly Answered[]): boolean {
    const before = all.slice(0, all.indexOf(block[0] as Answered));
    return refusedKindsOf(block).some((kind) => {
      const last = before.findLast((one) => goodKindOf(one) === kind);
      return last !== undefined && isAccepted(last);
    });
  }
}

/** Of the requests that must be accepted and were not, their kinds. */
const refusedKindsOf = (block: readonly Exchange[]): Good[] => [
  ...new Set(block.filter((one) => !isAccepted(one)).flatMap((one) => goodKindOf(one) ?? [])),
];

/** Of a request that must be refused, what it is. An expired token may be answered otherwise once it is forgotten. */
function badKindOf(exchange: Exchange): unknown {
  const row = rowOf(exchange);
  return row && mustBeRefused(row) && !('by' in row && row.by === 'expired') ? kindOf(row) : undefined;
}

/** From one request that was accepted to the next of its kind, or to the end of the run: those between were refused. */
interface Span {
  from: number;
  to: number;
  isForms: boolean;
  /** Whether what was refused cannot be due to one token: so what must be accepted counts for nothing either. */
  isOfAll: boolean;
}

/** Where requests that must be accepted were refused after one that was accepted. */
function refusedSpans(all: readonly Exchange[]): Span[] {
  const issued = all.filter((one) => isForm(one) && isAccepted(one));
  const renewal = issued.find(({ what }) => rowNamed(what)?.key === 'token.again');
  return (['form', 'read'] as const).flatMap((kind) => {
    const good = all.filter((one) => goodKindOf(one) === kind && isDecided(one));
    return good.flatMap((one, at): Span[] => {
      if (!isAccepted(one) || !isRefusal(good[at + 1])) return [];
      const next = good.findIndex((other, nth) => nth > at && isAccepted(other));
      const refused = good.slice(at + 1, next === -1 ? undefined : next);
      const from = numberOf(one);
      const tokens = refused.map((read) => issued.findLast((form) => numberOf(form) < numberOf(read)));
      const isOfAll =
        kind === 'read' &&
        renewal !== undefined &&
        from > numberOf(renewal) &&
        (new Set(tokens).size > 1 || refused.filter(isPage).length > 1);
      const to = next === -1 ? Number.POSITIVE_INFINITY : numberOf(good[next] as Exchange);
      // Few refusals between two reads that were accepted may be an accident.
      return next === -1 || (isOfAll && refused.length > 2)
        ? [{ from, to, isForms: kind === 'form', isOfAll }]
        : [];
    });
  });
}

/**
 * Whether a refusal lies where what must be accepted was refused too, up to the end of the run, or whatever the token: whatever the
 * refusals look like, a client that is locked gets them as well.
 */
function isWithoutAcceptance(all: readonly Exchange[]): (one: Exchange) => boolean {
  const spans = refusedSpans(all);
  return (one) =>
    isRefusal(one) &&
    !isExpiry(one) &&
    spans.some(
      ({ from, to, isForms, isOfAll }) =>
        isForms === isForm(one) &&
        numberOf(one) > from &&
        numberOf(one) < to &&
        (goodKindOf(one) === undefined || (isOfAll && goodKindOf(one) === 'read')),
    );
}

/** Whether it is the answer that clause 7 states. */
const isExpiry = (one: Exchange): boolean => {
  const row = rowOf(one);
  return row !== undefined && 'by' in row && row.by === 'expired' && hasStatus(one, 403);
};

/** Whether the answer is none that a request which must be accepted gets: a refusal, a page or an error. */
const isRefusal = (one: Exchange | undefined): boolean =>
  one !== undefined &&
  isDecided(one) &&
  (isRefused(one) || isPage(one) || speaksOnlyOfError(one.response.json));

/** Answers that are alike and follow each other. */
function blocksOf(list: readonly Answered[]): Answered[][] {
  const blocks: Answered[][] = [];
  for (const one of list) {
    const last = blocks.at(-1);
    if (last?.[0] && lookOf(last[0]) === lookOf(one)) last.push(one);
    else blocks.push([one]);
  }
  return blocks;
}

// A deployment that has lost its tokens.

const isOutage = (one: Exchange): boolean =>
  isAnswered(one) && one.response.status >= 500 && isTransient(one);

/** What had no answer, or one that says so, from some request on to the end of a run, requests that must be accepted included. */
function outageAtEnd(all: readonly Exchange[]): Exchange[] {
  const isOut = (one: Exchange) => one.failure !== undefined || isOutage(one);
  const after = all.slice(all.findLastIndex((one) => !isOut(one)) + 1);
  // A health check may answer with 503, and OPTIONS in any way.
  const concerned = after.filter(
    (one) =>
      !(goodKindOf(one) === 'health' && hasStatus(one, 503)) && rowNamed(one.what)?.key !== 'open.options',
  );
  return concerned.length > 2 && concerned.some(goodKindOf) ? concerned : [];
}

/**
 * Reads that were refused with a token that was accepted, where the deployment was out of order between the two; and those with an
 * expired token, after a token was refused that had been accepted, until a newer one was accepted.
 */
function lostTokens({ expiry }: Evidence, all: readonly Exchange[]): Exchange[] {
  // The token that was seen to expire is the first one.
  const tokenOf = (exchange: Exchange) => {
    const row = rowOf(exchange);
    const name = row && ('post' in row ? row.issues : row.by);
    return name === 'expired' && expiry.kind === 'waited' ? 'first' : TOKENS.find((one) => one === name);
  };
  const lossAt = lossIn(all);
  return all.filter((read, at) => {
    const token = tokenOf(read);
    if (at > lossAt && rowOf(read)?.when === 'expired-token' && isRefused(read) && !hasStatus(read, 403))
      return true;
    // For an expired token, 403 is a decision.
    if (token === undefined || !isRefused(read) || (!goodKindOf(read) && hasStatus(read, 403))) return false;
    const last = all.findLastIndex((one, nth) => nth < at && isServed(one) && tokenOf(one) === token);
    return last >= 0 && all.slice(last, at).some((one) => one.failure || isOutage(one));
  });
}

/** The place of the first read with the newest token that was refused after that token was accepted, if the next one was accepted. */
function lossIn(all: readonly Exchange[]): number {
  const isLive = (one: Exchange) => {
    const row = rowOf(one);
    return row ? 'by' in row && (row.by === 'live' || row.by === 'newest') : goodKindOf(one) === 'read';
  };
  const isIssue = (one: Exchange) => isForm(one) && isAccepted(one);
  // One token that was refused and accepted again was not lost: a cache may answer so.
  const live = all.filter((one) => isLive(one) || isIssue(one));
  if (live.some((one, nth) => isRefused(one) && live[nth + 1]?.what === one.what && isServed(live[nth + 1])))
    return Number.POSITIVE_INFINITY;
  const at = all.findIndex((one, nth) => {
    if (!isLive(one) || !isRefused(one)) return false;
    const before = all.slice(0, nth).findLast((other) => isLive(other) || isIssue(other));
    const next = all.slice(nth).find((other) => isIssue(other) || (isLive(other) && isAccepted(other)));
    return (
      before !== undefined && isLive(before) && isAccepted(before) && next !== undefined && isIssue(next)
    );
  });
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
