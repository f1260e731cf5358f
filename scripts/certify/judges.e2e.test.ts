/**
 * `mrs certify`, `mrs proxy` and `mrs judge` agree on the same calls: those of each client of the proof, which pass through the
 * proxy, all by one clock. The proxy and the judge know what was agreed, as the examination does.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { close, listen } from '../../mocks/server.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { certificateOf, type RuleVerdict } from '../../tests/client/judge.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { bytesOf } from '../../tests/traffic/testing/har.ts';
import { type JudgedRecording, judgeRecording } from '../judge/judge-recording.ts';
import { readRecording } from '../judge/read-recording.ts';
import { createProxyServer } from '../proxy/forward.ts';
import { writeHar } from '../proxy/har-file.ts';
import { createRecorder } from '../proxy/proxy.ts';
import { createService } from '../proxy/service.ts';
import { examine } from './examine.ts';
import { clientsInProcess, startProcessClock } from './process-clock.ts';
import { scenarios } from './scenarios.ts';

type Verdict = RuleVerdict | 'not-seen';
type Verdicts = Record<string, Verdict>;
type Subject = (typeof wrongClients | typeof permittedClients)[number];

const subjects: readonly Subject[] = [...wrongClients, ...permittedClients];
/** How many clients run side by side: each of them is slow alone, since the clock waits for the requests of all. */
const AT_ONCE = 12;

const verdictsOf = ({ clients }: JudgedRecording): Verdicts =>
  Object.fromEntries(clients[0]?.certificate.rules.map(({ id, verdict }) => [id, verdict]) ?? []);

const clock = startProcessClock();
const shown = (epochMs: number) => performance.timeOrigin + clock.at(epochMs - performance.timeOrigin);

/** What the examination makes of the calls of a client, and of each scenario what the proxy and the judge make of them. */
async function judgedBy({ name: client, behaviour, processes = 1 }: Subject) {
  const start = clientsInProcess(behaviour, { processes, pollSeconds: 0.2, clock });
  const recorded: { scenario: string; proxy: Verdicts; judge: Verdicts }[] = [];
  const runs = await examine({
    ...{ scenarios, processes, deadlineSeconds: 30, clock },
    async start(variables, scenario, report) {
      const target = variables.MRS_BASE_URL;
      const lifetimes = new Map([[undefined, Number(variables.MRS_TOKEN_LIFETIME)]]);
      const recorder = createRecorder({ target, processes, tokenLifetime: lifetimes });
      const proxy = createProxyServer({
        service: createService(target),
        headBytes: 64 * 1024,
        captures: { each: 1024 * 1024, total: 64 * 1024 * 1024 },
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
          expect(writeHar(file, seen)).toBeUndefined();
          const read = await readRecording(bytesOf(readFileSync(file, 'utf8')), file, target);
          const judge = verdictsOf(judgeRecording(read, { lifetimes, processes }));
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
  [
    'fixed-margin, token-reuse',
    'an examination has shortened the lifetime, and the recording has what was agreed',
  ],
  ['reserve-and-403, token-reuse', 'the same'],
  ['form-not-encoded, form-fields', 'no request obtained a token, so that no secret is known to be right'],
  ['client-id-not-encoded, form-fields', 'only mrs certify gives the client an id with special characters'],
  [
    'cuts-tokens-at-255, bearer-header',
    'a token that was cut was never issued: the recording blames token-member',
  ],
  ['cuts-tokens-at-1000, bearer-header', 'the same'],
  ['takes-token-for-a-word, bearer-header', 'the same'],
  ['quotes-token, bearer-header', 'a token in quotes was never issued: the recording blames token-member'],
  ['quotes-token, token-member', 'the same'],
  ['checks-by-head, token-reuse', 'a refused HEAD is not a read in a recording'],
  ['timer, renewal', 'one token does not show that the client renews by its clock'],
  ['token-per-reader-at-start, token-reuse', 'the scenario does not show how many callers there are'],
  ['stampede, token-reuse', 'the same'],
  ['crowd-by-the-clock, token-reuse', 'the same'],
]);

test('mrs certify, proxy and judge agree on each rule for each client of the proof', async () => {
  mkdirSync(outputPath(), { recursive: true });
  const waiting = [...subjects];
  const found: string[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) found.push(...(await differences(next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clock[Symbol.dispose]();
  const unknown = found.filter((one) => !KNOWN.has(one.slice(0, one.indexOf(':'))));
  expect(unknown.sort()).toEqual([]);
});
