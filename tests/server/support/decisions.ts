/**
 * Which answers are no decision about their request, and why: this follows from other answers of the run.
 * What one answer shows by itself, such as 503, is in condition.ts; how a ban or an outage is found, in bans.ts.
 */
import { several } from '../../report/text.ts';
import { fieldNamed, REDIRECTS } from '../../traffic/exchange.ts';
import type { FailureCode } from '../probe/connection.ts';
import { offersTokens } from '../profile.ts';
import { type Condition, requests } from '../requests.ts';
import {
  goodKindOf,
  IN_WORDS,
  isAccepted,
  isDecided,
  isForm,
  isPage,
  isWithoutAcceptance,
  lookInWords,
  lookOf,
  lostTokens,
  outageAtEnd,
  refusedAlike,
  refusesCredentials,
  withoutToken,
} from './bans.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  type Exchange,
  exchanges,
  hasStatus,
  isAnswered,
  mapExchanges,
  numberOf,
  type Probe,
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
      const kinds = new Set(concerned.flatMap((one) => goodKindOf(one) ?? []));
      const good = [...kinds].map((kind) => IN_WORDS[kind]);
      return {
        headline: `The deployment stopped answering this client at request ${number}`,
        sentence: `The deployment stopped answering this client at request ${number}, ${time}: it answered ${like}, also requests ${good.join(' and ')}. That looks like a ban, a lock or a firewall, so it decides nothing. Ask the operator to let this client through, and run again. If wrong secrets lock the client, give --safe.`,
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
