/** Judges the clients, readers and feeds of a proof, in this process, and compares what is found with what should be. */
import { loadProfile } from '../../mocks/contract/profile.ts';
import { runReader } from '../../tests/client/corpus/reader/feed-reader.ts';
import type {
  PermittedClient,
  PermittedReader,
  WrongClient,
  WrongReader,
} from '../../tests/client/corpus/subject.ts';
import type { Certificate } from '../../tests/client/judge.ts';
import { certificateOf, OF_CLIENTS } from '../../tests/client/judge.ts';
import { type PermittedFeed, responseOf, type WrongFeed } from '../../tests/feed/corpus/feeds.ts';
import { type FeedContract, feedContractOf } from '../../tests/feed/feed-contract.ts';
import { isFailure } from '../../tests/feed/findings.ts';
import { createFeedReader } from '../../tests/feed/reader.ts';
import { type ExamineOptions, examine } from '../certify/examine.ts';
import { clientsInProcess, startProcessClock } from '../certify/process-clock.ts';
import { scenarios, subjectUnder } from '../certify/scenarios.ts';
import { type Found, faultsIn, type Result, saying } from './expected.ts';
import type { Subjects } from './selection.ts';
import { verdictsOf } from './verdicts.ts';

type Client = WrongClient | PermittedClient;
type Reader = WrongReader | PermittedReader;
type Feed = WrongFeed | PermittedFeed;

/** Subjects at a time in this process: each has a mock for every scenario, and a process may open only so many files. */
const AT_ONCE = 24;
/** Between two reads of a subject. */
const POLL_SECONDS = 0.15;
/** By the clock of the process. A reader that waits for two slow answers of `data-timeout` needs 24 s and its other reads. */
const DEADLINE_SECONDS = 30;
/** The profile of the feed that readers read. */
const FEED = 'static-feed';

/** Examines all clients and readers, by the clock of this process. */
export async function clientResults({
  clients,
  readers,
}: Pick<Subjects, 'clients' | 'readers'>): Promise<Map<string, Result>> {
  using clock = startProcessClock();
  const feed = await subjectUnder(FEED);
  const run = (options: Pick<ExamineOptions, 'start' | 'scenarios' | 'profile' | 'processes'>) =>
    examine({ deadlineSeconds: DEADLINE_SECONDS, clock, ...options });

  async function examineReader({ behaviour }: Reader): Promise<Certificate> {
    const runs = await run({
      scenarios: feed.scenarios,
      profile: FEED,
      async start({ MRS_DATA_URL: url }, _scenario, report) {
        const reader = runReader({ url, pollSeconds: POLL_SECONDS, report, clock }, behaviour);
        return { ended: reader.ended.then((code) => ({ code })), stop: reader.stop };
      },
    });
    return certificateOf(runs, feed.catalogue);
  }

  async function examineClient({ behaviour, processes = 1 }: Client): Promise<Certificate> {
    const start = clientsInProcess(behaviour, { processes, pollSeconds: POLL_SECONDS, clock });
    return certificateOf(await run({ scenarios, processes, start }), OF_CLIENTS);
  }

  const results = new Map<string, Result>();
  const waiting = [
    ...[...readers.wrong, ...readers.permitted].map((one) => [one, examineReader] as const),
    ...[...clients.wrong, ...clients.permitted].map((one) => [one, examineClient] as const),
  ];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [subject, examineIt] = next;
      results.set(subject.name, clientResult(subject, await examineIt(subject as never)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

/** A wrong one is caught for its reasons; a permitted one is certified, with its strategy and its warnings. */
export function clientResult(subject: Client | Reader, certificate: Certificate): Result {
  const { name } = subject;
  const { outcome, strategy, rules } = certificate;
  const found = rules
    .filter(({ findings }) => findings.length > 0)
    .map(({ id, verdict, findings }) => ({ id, verdict, said: findings.map(({ seen }) => seen) }));
  if ('catches' in subject) {
    const { catches, also = [] } = subject;
    // What else a mistake breaks, and what comes up by chance, differs between runs.
    const lasting = found.filter(({ id }) => !also.includes(id));
    const faults = faultsIn(name, { finds: saying(catches), also }, found);
    return { faults, verdicts: verdictsOf(outcome, lasting) };
  }
  const reasons = rules.flatMap(({ verdict, reason }) => (verdict === 'could-not-run' ? (reason ?? []) : []));
  const expected = 'strategy' in subject ? subject.strategy : strategy;
  return {
    faults: [
      ...(outcome === 'conformant' ? [] : [`${name} is permitted, and is ${outcome}. ${reasons[0]}`]),
      ...(strategy === expected ? [] : [`${name}: its strategy is ${expected}, and ${strategy} was seen.`]),
      ...faultsIn(name, { finds: saying(subject.warns, 'warned') }, found),
    ],
    verdicts: verdictsOf(outcome, found),
  };
}

/** Judges all feeds. A wrong one is reported by its rule, a permitted one accepted. */
export async function feedResults({ wrong, permitted }: Subjects['feeds']): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  for (const feed of [...wrong, ...permitted])
    results.set(feed.name, feedResult(feed, await findingsIn(feed)));
  return results;
}

function feedResult(feed: Feed, found: readonly Found[]): Result {
  const isWrong = 'rule' in feed;
  const finds = isWrong
    ? saying({ [feed.rule]: feed.says }, feed.isWarning ? 'warned' : 'failed')
    : saying(feed.warns, 'warned');
  const also = (isWrong && feed.also) || [];
  const outcome = found.some(({ verdict }) => verdict === 'failed') ? 'nonconformant' : 'conformant';
  return { faults: faultsIn(feed.name, { finds, also }, found), verdicts: verdictsOf(outcome, found) };
}

async function findingsIn(feed: Feed): Promise<Found[]> {
  const contract = await contractOf(feed.profile ?? 'ods-record');
  const { body, contentType, servedMs } = responseOf(feed);
  const reader = createFeedReader(contract, { nowMs: servedMs, contentType });
  reader.write(Buffer.from(body));
  return reader.done().findings.map((finding) => ({
    id: finding.rule,
    verdict: isFailure(finding) ? 'failed' : 'warned',
    said: finding.places.map(({ seen }) => seen),
  }));
}

/** Each once: its schemas are compiled. */
const contracts = new Map<string, FeedContract>();

async function contractOf(profile: string): Promise<FeedContract> {
  const contract = contracts.get(profile) ?? feedContractOf((await loadProfile(profile)).document);
  if (!contract) throw new Error(`The profile ${profile} does not describe records (x-records).`);
  contracts.set(profile, contract);
  return contract;
}
