/**
 * `mrs certify`, `mrs proxy` and `mrs judge` agree on the same calls: those of a client of each kind in the proof, which pass
 * through the proxy, all by one clock. The proxy and the judge know what was agreed, as the examination does.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { close, listen } from '../../mocks/server.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { bytesOf } from '../../tests/traffic/testing/har.ts';
import { examine } from '../certify/examine.ts';
import { clientsInProcess, startProcessClock } from '../certify/process-clock.ts';
import { scenarios } from '../certify/scenarios.ts';
import { type JudgedRecording, judgeRecording } from '../judge/judge-recording.ts';
import { readRecording } from '../judge/read-recording.ts';
import { createProxyServer } from './forward.ts';
import { createHarFile } from './har-file.ts';
import { createRecorder } from './proxy.ts';

type Verdicts = Record<string, Verdict>;
type Subject = (typeof wrongClients | typeof permittedClients)[number];

/** What a client is there for: the rules that it breaks, or how it renews, or whether it does several things at once. */
const kindOf = (one: Subject): string => {
  if ('also' in one) return `${Object.keys(one.finds)}`;
  if ((one.behaviour.processes ?? 1) > 1) return 'several processes';
  return (one.behaviour.readers ?? 1) > 1 ? 'several readers' : `${one.strategy} ${Object.keys(one.finds)}`;
};
/** Rules on what a client does over time. What one request shows, scripts/judge/defects.test.ts has as a recording. */
const OVER_TIME = new Set([
  ...['token-reuse', 'dead-token', 'renewal', 'retry', 'no-loop', 'back-off', 'retry-after', 'recovers'],
]);
/** The first of each kind: `mrs prove` judges all. */
const subjects = new Map(
  [...wrongClients.filter(({ finds }) => OVER_TIME.has(`${Object.keys(finds)}`)), ...permittedClients]
    .toReversed()
    .map((one: Subject) => [kindOf(one), one]),
);
/** Each of the others repeats, for a recording, what one of these shows. */
const PLAYED = scenarios.filter(
  ({ name }) =>
    ![
      ...['expires-again', 'shorter-than-agreed', '403-html', 'token-slow', 'data-500-once'],
      ...['odd-secret', 'ended-early', '403-empty'],
    ].includes(name),
);
/** Between two reads of a client: half as many reads as in the proof show the same. */
const POLL_SECONDS = 0.4;
/** How many clients run side by side: each of them is slow alone, since the clock waits for the requests of all. */
const AT_ONCE = 12;

const verdictsOf = ({ clients }: JudgedRecording): Verdicts =>
  Object.fromEntries(clients[0]?.certificate.rules.map(({ id, verdict }) => [id, verdict]) ?? []);

const clock = startProcessClock();
const shown = (epochMs: number) => performance.timeOrigin + clock.at(epochMs - performance.timeOrigin);

/** What the examination makes of the calls of a client, and of each scenario what the proxy and the judge make of them. */
async function judgedBy({ name: client, behaviour }: Subject) {
  const { processes = 1 } = behaviour;
  const start = clientsInProcess(behaviour, { pollSeconds: POLL_SECONDS, clock });
  const recorded: { scenario: string; proxy: Verdicts; judge: Verdicts }[] = [];
  const runs = await examine({
    ...{ scenarios: PLAYED, processes, deadlineSeconds: 30, clock },
    async start(variables, scenario, report) {
      const target = variables.MRS_BASE_URL;
      const lifetimeSeconds = Number(variables.MRS_TOKEN_LIFETIME);
      const recorder = createRecorder({ target, processes, tokenLifetime: lifetimeSeconds });
      const proxy = createProxyServer({
        target,
        onPassed(passed) {
          recorder.add({ ...passed, startMs: shown(passed.startMs), endMs: shown(passed.endMs) });
        },
      });
      const url = await listen(proxy, 0, '127.0.0.1');
      const running = await start({ ...variables, MRS_BASE_URL: url }, scenario, report);
      return {
        ended: running.ended,
        async stop() {
          recorder.stop(); // The examination sees no later call either.
          await running.stop();
          await close(proxy);
          const seen = await recorder.result();
          if (seen.recording.exchanges.length === 0) return;
          const file = outputPath(`${client}-${scenario}.har`);
          expect(createHarFile(file, target).finish(seen.judged)).toBeUndefined();
          const read = await readRecording(bytesOf(readFileSync(file, 'utf8')), file, target);
          const judge = verdictsOf(judgeRecording(read, { lifetimeSeconds, processes }));
          recorded.push({ scenario, proxy: verdictsOf(seen.judged), judge });
        },
      };
    },
  });
  return { runs, recorded };
}

const GRAVEST: readonly Verdict[] = ['failed', 'warned', 'passed'];

/** A sentence for each rule that the three do not judge alike. A recording of one scenario may show less than all of them do. */
async function differences(subject: Subject): Promise<string[]> {
  const { runs, recorded } = await judgedBy(subject);
  const { rules } = certificateOf(runs);
  const found = rules.filter(({ findings }) => findings.length > 0).map(({ id }) => id);
  // Otherwise the three would agree on nothing.
  if ('also' in subject)
    expect(found, subject.name).toEqual(expect.arrayContaining(Object.keys(subject.finds)));
  const ofProxy = recorded.flatMap(({ scenario, proxy, judge }) =>
    Object.keys(judge).flatMap((id) =>
      proxy[id] === judge[id] ? [] : `${id} in ${scenario}: proxy ${proxy[id]}, judge ${judge[id]}`,
    ),
  );
  const ofAll = rules.flatMap(({ id, verdict, findings }) => {
    // What certify has found, the judge must find where it happened; nothing else, anywhere.
    const where = findings.map(({ scenario }) => scenario);
    const seen = recorded.flatMap(({ scenario, judge }) =>
      where.length === 0 || where.includes(scenario) ? judge[id] : [],
    );
    const judged = GRAVEST.find((one) => seen.includes(one)) ?? 'not-seen';
    const isFound = verdict === 'failed' || verdict === 'warned';
    const isAlike = judged === verdict || judged === 'not-seen' || (judged === 'passed' && !isFound);
    return isAlike ? [] : `${id}: certify ${verdict}, judge ${judged}`;
  });
  return [...ofProxy, ...ofAll].map((one) => `${subject.name}, ${one}`);
}

/** Where a recording of one scenario cannot show what the examination knows: the client, the rule, and why. */
const KNOWN = new Map<string, string>([
  ['checks-by-head, token-reuse', 'a refused HEAD is not a read in a recording'],
]);

test('mrs certify, proxy and judge agree on each rule for a client of each kind', async () => {
  mkdirSync(outputPath(), { recursive: true });
  const waiting = [...subjects.values()];
  const found: string[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) found.push(...(await differences(next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clock[Symbol.dispose]();
  const unknown = found.filter((one) => !KNOWN.has(one.slice(0, one.indexOf(':'))));
  expect(unknown.sort()).toEqual([]);
});
