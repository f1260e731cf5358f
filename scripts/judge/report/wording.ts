/** Words that every rendering of a report on traffic shares. */
import { inSeconds } from '../../../tests/client/report/wording.ts';
import { several, tallyOf } from '../../../tests/report/text.ts';
import { NO_REQUEST } from '../../../tests/server/passive/judge-traffic.ts';
import { groupBy } from '../../../tests/support/collections.ts';
import { takesOption } from '../../../tests/support/option-advice.ts';
import { isMissing, type TrafficReport } from './report.ts';

/** What the run came to, as a short sentence without its full stop. */
export function headlineOf({ outcome, server, client }: TrafficReport): string {
  if (outcome === 'error') return 'The run itself failed';
  const ofServer = server.counts.failed;
  const ofClient = client.counts.failed;
  if (ofServer > 0 && ofClient > 0)
    return `The service violates ${several(ofServer, 'clause')}, the client ${ofClient}`;
  if (ofServer > 0) return `The service violates ${several(ofServer, 'requirement')}`;
  if (ofClient > 0) return `The client breaks ${several(ofClient, 'rule')}`;
  if (outcome === 'incomplete') return 'Nothing seen is wrong, but the traffic shows too little';
  return 'Nothing seen is wrong';
}

/** What to do next, as a sentence. */
export function nextOf({ outcome, proxy }: TrafficReport): string {
  if (outcome === 'nonconformant')
    return proxy
      ? 'Fix what failed, and let the traffic pass again.'
      : 'Fix what failed, record the traffic again, and judge it again.';
  if (outcome === 'incomplete')
    return proxy
      ? 'Let more traffic pass: run the proxy until what is missing has passed.'
      : 'Record what is missing, with headers and bodies, and judge that.';
  if (outcome === 'error') return 'Fix the fault of the run, and run again.';
  return 'What the traffic did not show was not judged: mrs verify and mrs certify test it.';
}

/** What is missing in a part that is incomplete, and what was left out, as sentences. */
export function remarksOf({ server, client, recording, proxy, tokenLifetime }: TrafficReport): string[] {
  const { excess } = recording;
  const { absentClients } = tokenLifetime;
  return [
    ...(proxy && proxy.injected + proxy.unanswered > 0 ? [`The proxy answered ${proxyInWords(proxy)}.`] : []),
    ...absentClients.map(
      (id) =>
        `--token-lifetime has a value for the client "${id}", and no token request has this id. Correct the id, or leave the value out.`,
    ),
    ...(server.outcome === 'incomplete'
      ? missingInWords(
          'service',
          server.requirements
            .filter(isMissing)
            .map(({ id, evidence }) => ({ id, ...(evidence.reason && { reason: evidence.reason }) })),
        )
      : []),
    ...(client.outcome === 'incomplete' ? missingOfClients(client) : []),
    ...(excess > 0 ? [`Not judged: ${several(excess, 'exchange')} beyond the limit.`] : []),
  ];
}

/** More clients would hide what to do first. */
const MOST_CLIENTS = 2;

function missingOfClients({ clients }: TrafficReport['client']): string[] {
  const short = clients.filter(({ missing }) => missing.length > 0);
  const left = short.length - MOST_CLIENTS;
  return [
    ...short
      .slice(0, MOST_CLIENTS)
      .flatMap(({ id, missing }) => missingInWords(clients.length > 1 ? `client ${id}` : 'client', missing)),
    ...(left > 0 ? [`Too little was seen of ${several(left, 'more client')}.`] : []),
  ];
}

const ISSUE = 'a token request, with the body of its answer';
const RENEWAL = 'until a token has expired and the client has renewed it';

/** What shows them, as the rest of a sentence that begins with "Record". */
export const SHOWN_BY: Readonly<Record<string, string>> = {
  'MRS-2a': ISSUE,
  'MRS-4.1a': ISSUE,
  'MRS-4.1b': 'a token request without an Authorization header',
  'MRS-4.1k': ISSUE,
  'MRS-4.1l': ISSUE,
  'MRS-4.1m': 'a second token request with the same credentials',
  'MRS-4.2a': 'a read of the data, with its Authorization header',
  'MRS-4.2b': 'a read of the data, with its Authorization header and the body of its answer',
  'MRS-5.3b': 'at least two reads with one token',
  'token-path': 'a token request',
  'form-content-type': 'a token request',
  'token-accept': 'a token request',
  'form-fields': 'a token request',
  'credentials-place': 'a token request',
  'data-path': 'a read of the data',
  'data-accept': 'a read of the data',
  'bearer-header': 'reads with their Authorization headers',
  'token-place': 'reads with their Authorization headers',
  'token-member': 'a token request with the body of its answer, and a read with that token',
  renewal: RENEWAL,
  'token-reuse': RENEWAL,
};

/** More would hide what to do first. */
const MOST_CAUSES = 2;

/** For each cause, a line: which are not seen, why, and what to record or to give. */
function missingInWords(whose: string, missing: readonly { id: string; reason?: string }[]): string[] {
  const byCause = new Map<string, string[]>();
  for (const { id, reason = '' } of missing) {
    const record = takesOption(reason) ? '' : `Record ${SHOWN_BY[id] ?? 'a request that shows it'}.`;
    const cause = [reason === NO_REQUEST ? '' : reason, record].filter((text) => text !== '').join(' ');
    byCause.set(cause, [...(byCause.get(cause) ?? []), id]);
  }
  const causes = [...byCause].map(([cause, ids]) => `Not seen of the ${whose}: ${ids.join(', ')}. ${cause}`);
  const left = causes.length - MOST_CAUSES;
  if (left <= 0) return causes;
  const [last = '', ...before] = causes.slice(0, MOST_CAUSES).reverse();
  return [...before.reverse(), `${last} The report has ${several(left, 'more cause')}.`];
}

/** `nonconformant (8 passed, 1 failed, 14 not seen)`. */
export const partInWords = ({ outcome, counts }: TrafficReport['server'] | TrafficReport['client']): string =>
  `${outcome} (${tallyOf(counts)})`;

type Lifetime = TrafficReport['tokenLifetime']['clients'][number];

/** More would be hard to read; the page has the lifetime of each client. */
const MOST_LIFETIMES = 3;

/** What is known of how long tokens live, where that is the same of all clients; each client has its own next to it. */
export function commonLifetimeInWords({ tokenLifetime: { clients } }: TrafficReport): string {
  const [common = 'not given', ...more] = new Set(clients.map(lifetimeInWords));
  return more.length > 0 ? 'not the same for all clients' : common;
}

/** What is known of how long tokens live, for each client where that differs. */
export function lifetimesInWords(report: TrafficReport): string {
  const alike = groupBy(report.tokenLifetime.clients, lifetimeInWords);
  if (alike.size < 2) return commonLifetimeInWords(report);
  const parts = [...alike].map(([text, own]) => `${namesInWords(own)}: ${text}`);
  const left = parts.length - MOST_LIFETIMES;
  return [...parts.slice(0, MOST_LIFETIMES), ...(left > 0 ? [`${left} more`] : [])].join(' · ');
}

function namesInWords(clients: readonly Lifetime[]): string {
  const [first, second, ...more] = clients.map(({ id }) => id);
  const last = more.length > 0 ? several(more.length + 1, 'more client') : second;
  return [first, last].filter((name) => name !== undefined).join(' and ');
}

/** What is known of how long the tokens of a client live. */
export function lifetimeInWords({
  agreedSeconds,
  atLeastSeconds,
  atMostSeconds,
}: Omit<Lifetime, 'id'>): string {
  const seen =
    atMostSeconds === undefined
      ? 'none was seen to expire'
      : `seen: ${atLeastSeconds} s to ${atMostSeconds} s`;
  return agreedSeconds === undefined ? `not given; ${seen}` : `${agreedSeconds} s, as agreed; ${seen}`;
}

/** `2 injected by the scenario expires for acme, 1 because the service gave no answer`. */
export function proxyInWords(proxy: NonNullable<TrafficReport['proxy']>): string {
  const { unanswered, injected, scenario, client } = proxy;
  const parts = [
    ...(scenario === undefined
      ? []
      : [`${several(injected, 'request')} of ${client}, by the injected scenario ${scenario}`]),
    ...(unanswered > 0 ? [`${several(unanswered, 'request')} that the service gave no answer to`] : []),
  ];
  return parts.length > 0 ? `${parts.join('; ')}; not judged as answers of the service` : 'nothing';
}

/** What was read, and what of it was left out. */
export function recordingInWords({ recording }: TrafficReport): string {
  const {
    entries,
    judged,
    unattributed,
    elsewhere,
    preflights,
    notSent,
    duplicates = 0,
    creator,
  } = recording;
  const left = [
    ...(elsewhere > 0 ? [`${elsewhere} to other addresses`] : []),
    ...(preflights > 0 ? [several(preflights, 'preflight')] : []),
    ...(notSent > 0 ? [`${notSent} that did not go over the network`] : []),
    ...(duplicates > 0 ? [several(duplicates, 'duplicate')] : []),
  ];
  const loose = unattributed > 0 ? `, ${unattributed} of an unknown client` : '';
  const ignored = left.length > 0 ? `, ignored: ${left.join(', ')}` : '';
  return `${judged} of ${several(entries, 'entry').replace('entrys', 'entries')} judged${loose}${ignored}${creator && `; recorded by ${creator}`}`;
}

/**
 * `entry 14 at 61.9 s`, `entries 14 at 61.9 s and 20 at 75 s`: calls by their places in the file; of many the first.
 * Without times where the file does not have them.
 */
export function entriesInWords(
  entries: readonly { entry: number; sentAtMs: number | undefined }[],
  { recording: { untimed } }: TrafficReport,
): string {
  const shown = entries
    .slice(0, 3)
    .map(({ entry, sentAtMs }) =>
      untimed || sentAtMs === undefined ? `${entry}` : `${entry} at ${inSeconds(sentAtMs)}`,
    );
  const list = new Intl.ListFormat('en-GB').format([
    ...shown,
    ...(entries.length > shown.length ? ['more'] : []),
  ]);
  return `${entries.length === 1 ? 'entry' : 'entries'} ${list}`;
}

/** When the recording began, and for how long it went on. */
export const timeInWords = ({ recording }: TrafficReport): string =>
  recording.untimed
    ? 'at times that the file does not have'
    : `${recording.startedAt}, for ${inSeconds(recording.durationMs)}`;
