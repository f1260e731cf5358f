/** Where a deployment stopped serving a client, as the answers of a run show it: bans, outages, lost tokens, refused credentials. */
import { kindOf, mustBeAccepted, mustBeRefused, type ProbeRow, rowNamed, TOKENS } from '../requests.ts';
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
  numberOf,
  type Observed,
  type Probe,
  type Sent,
} from './evidence.ts';

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
export function withoutToken({ probes }: Pick<Observed, 'probes'>): Answered | undefined {
  const { 'token.valid': valid, 'token.withAuthorization': authorized } = probes;
  if (!isAnswered(valid) || isIssued(valid)) return undefined;
  return isAnswered(authorized) && isIssued(authorized) ? undefined : valid;
}

export const isPage = (one: Probe | undefined): boolean =>
  isAnswered(one) && isSuccess(one) && one.response.mediaType === 'text/html';

// Requests that a deployment must accept.

type Good = 'form' | 'read' | 'health';
export const IN_WORDS = { form: 'with valid credentials', read: 'with valid tokens', health: 'for health' };

const rowOf = ({ what }: Exchange): ProbeRow | undefined => rowNamed(what);

/** Of a request with valid credentials or a valid token, or that needs none, what it asks for. */
export function goodKindOf(one: Exchange): Good | undefined {
  if (one.what.startsWith('the health check')) return 'health';
  if (!mustBeAccepted(one.what)) return undefined;
  return isForm(one) ? 'form' : 'read';
}

export const isForm = ({ request }: Exchange): boolean =>
  request.method === 'POST' && request.path === '/token/';

export const isDecided = (exchange: Exchange): exchange is Answered =>
  isAnswered(exchange) && !isTransient(exchange);

/** Whether it shows that the deployment serves this client. A page in the place of the data may be that of a firewall. */
export function isAccepted(exchange: Exchange): boolean {
  const kind = goodKindOf(exchange);
  if (!kind || !isAnswered(exchange)) return false;
  if (kind === 'form') return isIssued(exchange);
  return isSuccess(exchange) && !isPage(exchange) && !speaksOnlyOfError(exchange.response.json);
}

/** What answers that are given without a look at the request have in common. */
export const lookOf = ({ response: { status, mediaType = '', json } }: Answered): string =>
  [status, mediaType, ...(json.wellFormed ? (json.fields ?? []) : [])].join(' ');
export const lookInWords = ([first]: readonly Exchange[]): string => answerInWords(first as Answered);

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
   * Whether something in front of the service refuses so. What must be accepted was accepted before, and what must be refused was
   * refused otherwise, or nothing was accepted since; or a page or a message with success answers what is refused otherwise.
   */
  function isForeign(block: readonly Answered[], list: readonly Answered[]): boolean {
    const bad = block.filter((one) => badKindOf(one) !== undefined);
    const [first] = block as [Answered];
    const isMessage = isSuccess(first) && (isPage(first) || isOnlyMessage(first.response.json));
    // A message in the place of data that was there before, with a valid token as without.
    const asksForData = (one: Answered) => goodKindOf(one) === 'read';
    const isForAll = block.some(asksForData) && block.some((one) => mustBeRefused(rowOf(one)));
    if (isMessage && isForAll && all.slice(0, all.indexOf(first)).some(asksForData)) return true;
    if (bad.length === 0 || (!wasAccepted(block) && !(isMessage && bad.length >= FEW))) return false;
    const [from, look] = [list.indexOf(first), lookOf(first)];
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
      const isOfSeveral = new Set(tokens).size > 1 || refused.filter(isPage).length > 1;
      // Of tokens that never open the data, the one that has expired is answered as clause 7 states.
      const isUnlikeExpiry = all.some(
        (other) => isExpired(other) && isRefused(other) && numberOf(other) > from && !isExpiry(other),
      );
      const isOfAll =
        kind === 'read' &&
        renewal !== undefined &&
        (from > numberOf(renewal) || isUnlikeExpiry) &&
        isOfSeveral;
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
export function isWithoutAcceptance(all: readonly Exchange[]): (one: Exchange) => boolean {
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

const isExpired = (one: Exchange): boolean => rowOf(one)?.when === 'expired-token';
/** Whether it is the answer that clause 7 states. */
const isExpiry = (one: Exchange): boolean => isExpired(one) && hasStatus(one, 403);

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
export function outageAtEnd(all: readonly Exchange[]): Exchange[] {
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
export function lostTokens({ expiry }: Evidence, all: readonly Exchange[]): Exchange[] {
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
