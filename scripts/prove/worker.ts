/** A thread of a proof: judges each subject that it is sent the name of, and posts what its judge made of it. */
import { parentPort } from 'node:worker_threads';
import { runReader } from '../../tests/client/corpus/feed-reader.ts';
import { type Certificate, certificateOf } from '../../tests/client/judge.ts';
import { responseOf } from '../../tests/feed/corpus/feeds.ts';
import { isFailure } from '../../tests/feed/findings.ts';
import { judgeFeed } from '../../tests/feed/reader.ts';
import type { Item } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import { type Evidence, exchanges } from '../../tests/server/support/evidence.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { type ExamineOptions, examine } from '../certify/examine.ts';
import { clientsInProcess, startProcessClock } from '../certify/process-clock.ts';
import { scenarios, subjectUnder } from '../certify/scenarios.ts';
import { startMock } from '../mock/index.ts';
import { profileOf } from '../verify/gather-evidence.ts';
import { feedProfileOf } from '../verify/judge-feed.ts';
import type { Judged } from './judged.ts';
import type { Posted } from './prove.ts';
import { corpus, type RowOf } from './subjects.ts';

parentPort?.on('message', async (name: string) => {
  const posted: Posted = await judge(name).then(
    (judged) => ({ name, ...judged }),
    (error: Error) => ({ name, problem: `${name}: it could not be judged: ${error.message}` }),
  );
  parentPort?.postMessage(posted);
});

async function judge(name: string): Promise<Judged> {
  const subject = corpus.find((one) => one.name === name);
  if (!subject) throw new Error('there is no row of this name');
  if (subject.kind === 'deployment') return judgeDeployment(subject);
  if (subject.kind === 'client') return judgeClient(subject);
  return subject.kind === 'reader' ? judgeReader(subject) : judgeOneFeed(subject);
}

/** What `make` makes of a text, once for each: schemas are compiled. */
function once<Made>(make: (text: string) => Promise<Made>): (text: string) => Promise<Made> {
  const known = new Map<string, Promise<Made>>();
  return (text) => {
    const made = known.get(text) ?? make(text);
    known.set(text, made);
    return made;
  };
}

const feedProfile = once(feedProfileOf);

async function judgeOneFeed(feed: RowOf<'feed'>): Promise<Judged> {
  const { body, contentType, servedMs } = responseOf(feed);
  const { contract } = await feedProfile(feed.profile ?? 'ods-record');
  const { findings } = judgeFeed(Buffer.from(body), contract, { nowMs: servedMs, contentType });
  return {
    outcome: findings.some(isFailure) ? 'nonconformant' : 'conformant',
    found: findings.map((finding) => ({
      id: finding.rule,
      verdict: isFailure(finding) ? 'failed' : 'warned',
      said: finding.places.map(({ seen }) => seen),
      by: finding.places[0]?.pointer || 'the body',
    })),
  };
}

// Clients and readers, all by one clock.

/** Between two reads of a subject. */
const POLL_SECONDS = 0.2;
/** The profile of the feed that readers read. */
const FEED = 'static-feed';
const clock = startProcessClock();
/** By the clock. A reader that waits for two slow answers of `data-timeout` needs 24 s and its other reads. */
const EXAMINATION = { deadlineSeconds: 30, clock };

async function judgeClient({ behaviour }: RowOf<'client'>): Promise<Judged> {
  const { processes = 1 } = behaviour;
  const start = clientsInProcess(behaviour, { pollSeconds: POLL_SECONDS, clock });
  return examined(certificateOf(await examine({ ...EXAMINATION, scenarios, processes, start })));
}

async function judgeReader({ behaviour }: RowOf<'reader'>): Promise<Judged> {
  const { scenarios, catalogue } = await subjectUnder(FEED);
  const start: ExamineOptions['start'] = async ({ MRS_DATA_URL: url }, _, report) => {
    const reader = runReader({ url, pollSeconds: POLL_SECONDS, report, clock, date: clock.date }, behaviour);
    return { ended: reader.ended.then((code) => ({ code })), stop: reader.stop };
  };
  const traffic = await examine({ ...EXAMINATION, scenarios, profile: FEED, start });
  return examined(certificateOf(traffic, catalogue));
}

const examined = ({ outcome, strategy, rules }: Certificate): Judged => ({
  ...{ outcome, strategy },
  found: rules
    .filter(({ findings }) => findings.length > 0)
    .map(({ id, verdict, findings }) => ({
      ...{ id, verdict, said: findings.map(({ seen }) => seen) },
      by: findings.find((one) => one.verdict === verdict)?.scenario ?? '',
    })),
});

// Deployments.

const LIFETIME_SECONDS = 90;

const deployedProfile = once(profileOf);

/** The deployment and the run share one clock, which advances only where the run waits: nothing waits in fact. */
async function judgeDeployment({ name, isWrong, profile: given }: RowOf<'deployment'>): Promise<Judged> {
  const profile = given === undefined ? undefined : await deployedProfile(given);
  const clock = createVirtualClock();
  const faults: unknown[] = [];
  await using mock = await startMock({
    [isWrong ? 'defect' : 'variant']: name,
    ...(given !== undefined && { profile: given }),
    ...{ tokenLifetime: LIFETIME_SECONDS, now: clock.now, onFault: (fault) => faults.push(fault) },
  });
  const [client] = mock.clients;
  const target = {
    ...{
      baseUrl: mock.url,
      healthPaths: [...mock.healthPaths],
      statesHealthPaths: true as const,
      safe: false,
      userAgent: 'mrs prove',
    },
    ...{ clientId: client?.id ?? '', clientSecret: client?.secret ?? '' },
    ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: 2 * LIFETIME_SECONDS, timeoutSeconds: 10 },
  };
  const run = { secrets: createSecrets(), clock, progress: () => {}, ...(profile && { profile }) };
  // Through the form in which it is saved, as `mrs verify` judges it.
  const evidence: Evidence = JSON.parse(JSON.stringify(await gather(target, run)));
  if (faults.length > 0) throw new Error(`the mock met an exception: ${faults[0]}`);
  const { outcome, items, problems, properties } = reportOf({
    ...{ evidence, profile },
    ...judgeAll(evidence, profile),
  });
  if (problems.length > 0) throw new Error(problems.join(' '));
  return {
    outcome,
    found: items.map((item) => ({
      ...{ id: item.id, verdict: item.verdict, said: [said(item)] },
      by: decidingOf(item, evidence),
    })),
    leftOut: (properties['not-offered'] ?? '').split(' '),
  };
}

/** The first request that a verdict rests on, by its key if it has one, and its answer: `data.withoutToken 200`. */
function decidingOf({ exchanges: [first] }: Item, evidence: Evidence): string {
  const deciding = exchanges(evidence).find(({ id }) => id === first);
  const key = Object.entries(evidence.probes).find(([, one]) => 'id' in one && one.id === first)?.[0];
  return `${key ?? deciding?.what} ${deciding?.response?.status ?? deciding?.failureCode}`;
}

/** What a report says of a verdict. */
function said({ verdict, expected, reason, seen }: Item): string {
  if (verdict === 'failed') return `expected ${expected}; seen: ${seen}`;
  return reason ?? `seen: ${seen || 'nothing'}`;
}
