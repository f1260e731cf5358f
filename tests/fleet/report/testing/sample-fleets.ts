/** Reports on fleets, for tests and for the example page. */
import { isBinding, ledger } from '../../../support/requirements.ts';
import { fleetOutcome } from '../../fleet-outcome.ts';
import { verdictFile, withHistory } from '../../history.ts';
import type { Judged, Judgement } from '../../judged.ts';
import { type Found, mergeReports } from '../../merge.ts';
import type { ExpectedDeployment } from '../../records.ts';
import type { Fleet } from '../wording.ts';

const DIGEST = `sha256:${'1a2b3c4d'.repeat(8)}`;
const SUITE = { name: 'mrs-contract', version: '0.1.0', requirements: DIGEST } as const;
const OTHER_SUITE = { ...SUITE, version: '0.0.9', requirements: `sha256:${'ffee'.repeat(16)}` } as const;
const DAY_MS = 86_400_000;

const requirements = ledger.filter(isBinding);

/** Part of a deployment of a sample. */
export interface SamplePart {
  name: string;
  failed?: readonly string[];
  open?: readonly string[];
  outcome?: Judged['outcome'];
  /** Why there is no report. */
  missing?: string;
  feed?: true;
  profile?: string;
  suite?: Judged['suite'];
  labels?: string[];
  contact?: string;
  /** Of a run with a baseline. */
  exitCode?: 0 | 1 | 2 | 3;
}

/** A fleet of these, as it was `day` days after the first of January 2030. */
export function fleetOf(parts: readonly SamplePart[], day = 0): Fleet {
  const startedAt = new Date(Date.UTC(2030, 0, 1, 2) + day * DAY_MS).toISOString();
  const found = parts.flatMap((part) => foundOf(part, startedAt));
  const expected = parts.map(
    ({ name, feed, labels = [], contact }): ExpectedDeployment => ({
      name,
      kind: feed ? 'feed' : 'service',
      address: addressOf(name, feed),
      labels,
      ...(contact !== undefined && { contact }),
      shard: 2,
    }),
  );
  const fleet = mergeReports(found, expected, { at: startedAt });
  return { ...fleet, suite: SUITE, outcome: fleetOutcome(fleet.deployments.map(({ outcome }) => outcome)) };
}

/** The last of `fleets` with what its history shows of the others. */
export function withPast(fleets: readonly Fleet[]): Fleet {
  const past = fleets.slice(0, -1).map((fleet) => JSON.parse(verdictFile(fleet).text));
  return withHistory(fleets.at(-1) as Fleet, past);
}

const addressOf = (name: string, feed?: true): string =>
  feed ? `https://${name}.example/ods.json` : `https://mrs.${name}.example/api`;

function foundOf(part: SamplePart, startedAt: string): Found[] {
  const { name, missing, exitCode } = part;
  if (missing === undefined && exitCode === undefined) return [{ name, judged: judgedOf(part, startedAt) }];
  if (missing === '') return [];
  if (missing !== undefined) return [{ name, judged: missing }];
  const digest = `sha256:${'0'.repeat(64)}`;
  const record = {
    schemaVersion: 1,
    name,
    kind: 'service',
    settings: digest,
    suite: digest,
    durationMs: 4000,
  } as const;
  return [
    {
      name,
      judged: judgedOf(part, startedAt),
      record: { ...record, startedAt, exitCode: exitCode ?? 0, report: digest },
    },
  ];
}

function judgedOf(
  { name, failed = [], open = [], feed, profile, suite = SUITE, outcome }: SamplePart,
  startedAt: string,
): Judged {
  const ended = failed.length > 0 ? 'nonconformant' : open.length > 0 ? 'incomplete' : 'conformant';
  const declared = profile === undefined ? [] : [`MRS-7a@${profile}`, `MRS-4.2c@${profile}`];
  return {
    kind: feed ? 'feed' : 'service',
    outcome: outcome ?? ended,
    address: addressOf(name, feed),
    suite,
    startedAt,
    durationMs: 4000,
    ...(profile !== undefined && { profile }),
    ...(outcome === 'error' && { cause: 'The run was interrupted.' }),
    requirements: feed
      ? [
          ...failed.map((id) =>
            violation(id, 'One dish observes one target at a time.', 'One dish has two targets at a time.'),
          ),
          {
            id: 'feed-complete',
            statement: 'All is read.',
            verdict: open.includes('feed-complete') ? 'could-not-run' : 'passed',
          },
        ]
      : [
          ...requirements.map(({ id, statement, violation: wrong }) =>
            failed.includes(id)
              ? violation(id, statement, wrong)
              : open.includes(id)
                ? { id, statement, verdict: 'could-not-run' as const, seen: 'No token was obtained.' }
                : { id, statement, verdict: 'passed' as const },
          ),
          ...declared.map((id) =>
            failed.includes(id)
              ? violation(id, 'As the profile declares.')
              : { id, statement: 'As the profile declares.', verdict: 'passed' as const },
          ),
        ],
  };
}

const violation = (id: string, statement: string, wrong?: string): Judgement => ({
  id,
  statement,
  verdict: 'failed',
  severity: 'breaks-clients',
  ...(wrong !== undefined && { violation: wrong }),
  seen: 'Expected a refusal; seen: a request with an expired token: 200, application/json',
});

const every = requirements.map(({ id }) => id);

const NIGHT: readonly SamplePart[] = [
  { name: 'arecibo', labels: ['production', 'caribbean'], contact: 'ops@arecibo.example' },
  { name: 'atca', labels: ['production', 'australia'] },
  { name: 'effelsberg', profile: 'nrao-ods', labels: ['production', 'europe'] },
  {
    name: 'green-bank',
    failed: ['MRS-5.6a', 'MRS-7a'],
    labels: ['production', 'america'],
    contact: 'mrs@green-bank.example',
  },
  { name: 'green-bank-staging', failed: ['MRS-5.6a'], labels: ['staging', 'america'], exitCode: 0 },
  { name: 'hat-creek', profile: 'nrao-ods', failed: ['MRS-7a@nrao-ods'], labels: ['production', 'america'] },
  { name: 'jodrell-bank', labels: ['production', 'europe'] },
  { name: 'lofar', missing: '', labels: ['production', 'europe'], contact: 'mitigation@lofar.example' },
  { name: 'meerkat', labels: ['production', 'africa'] },
  { name: 'nobeyama', open: every.slice(3), labels: ['production', 'asia'] },
  { name: 'ovro', labels: ['production', 'america'] },
  { name: 'parkes', failed: ['MRS-2a'], labels: ['production', 'australia'] },
  { name: 'sardinia', outcome: 'error', labels: ['staging', 'europe'] },
  { name: 'vla', labels: ['production', 'america'] },
  { name: 'vla-feed', feed: true, failed: ['overlap'], labels: ['feeds'] },
  { name: 'vlba-feed', feed: true, labels: ['feeds'] },
  { name: 'yebes', suite: OTHER_SUITE, failed: ['MRS-1.3'], labels: ['production', 'europe'] },
];

const but = (changes: Readonly<Record<string, Partial<SamplePart>>>): SamplePart[] =>
  NIGHT.map((part) => ({ ...part, ...changes[part.name] }));

/** A dozen nights, the last of which the example page shows. */
export const EXAMPLE: Fleet = withPast([
  ...[0, 1, 2, 3].map((day) =>
    fleetOf(but({ parkes: { failed: [] }, lofar: { missing: 'report.json is not JSON.' } }), day),
  ),
  ...[4, 5, 6].map((day) =>
    fleetOf(but({ parkes: { failed: ['MRS-2a'] }, meerkat: { failed: ['MRS-4.1a'] } }), day),
  ),
  ...[7, 8].map((day) => fleetOf(but({ yebes: { suite: SUITE, failed: [] } }), day)),
  fleetOf(
    but({
      'green-bank': { failed: ['MRS-7a'] },
      'vla-feed': { failed: [] },
      lofar: { missing: 'report.json is not JSON.' },
    }),
    9,
  ),
  fleetOf(NIGHT, 10),
]);

/** 200 deployments, with all that a page can show of one. */
export function largeFleet(): Fleet {
  const part = (at: number): SamplePart => ({
    name: `observatory-${String(at).padStart(3, '0')}`,
    labels: ['production', `region-${at % 5}`],
    contact: `ops-${at}@observatory.example`,
    ...(at % 4 === 0 && { failed: every.filter((_, nth) => (nth + at) % 7 === 0) }),
    ...(at % 17 === 3 && { open: every.slice(at % 9) }),
    ...(at % 29 === 5 && { missing: '' }),
    ...(at % 3 === 0 && { profile: 'nrao-ods' }),
  });
  const parts = Array.from({ length: 200 }, (_, at) => part(at));
  const nights = Array.from({ length: 12 }, (_, day) =>
    fleetOf(
      parts.map((one, at) =>
        (at + day) % 11 === 0 && one.missing === undefined ? { ...one, failed: ['MRS-4.1a'] } : one,
      ),
      day,
    ),
  );
  return withPast(nights);
}

/** The same without what a profile declares: a hostile id is not one of those. */
export const VICTIM: Fleet = fleetOf(NIGHT.filter(({ profile }) => profile === undefined));

export const SAMPLES = {
  example: EXAMPLE,
  conformant: fleetOf([{ name: 'alpha' }, { name: 'beta' }]),
  missing: fleetOf([{ name: 'alpha', missing: '' }]),
  feeds: fleetOf([
    { name: 'one', feed: true },
    { name: 'two', feed: true, failed: ['overlap'] },
  ]),
} satisfies Record<string, Fleet>;

/** Members of a report that hold a word from a list, and nothing else. */
export const CHOSEN = ['outcome', 'kind', 'verdict', 'severity', 'before', 'after', '$schema'];
