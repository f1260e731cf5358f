/** The proxy judges clients as an examination does that sees the same calls. */
import { mkdirSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { runClient } from '../../tests/client/corpus/parts.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import type { Subject } from '../../tests/client/corpus/subject.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { examine } from '../certify/examine.ts';
import { type ProcessClock, startProcessClock } from '../certify/process-clock.ts';
import { scenarios } from '../certify/scenarios.ts';
import { startDeployment } from '../e2e/testing/deployment.ts';
import type { RunningProxy } from './proxy.ts';
import { proxyTo } from './testing/proxied.ts';

test.describe.configure({ timeout: 300_000 });

const subjects: readonly Subject[] = [...wrongClients, ...permittedClients];
const subjectNamed = (name: string): Subject => {
  const found = subjects.find((one) => one.name === name);
  if (!found) throw new Error(`There is no client ${name}.`);
  return found;
};

const failing = (rules: readonly { id: string; verdict: string }[]): string[] =>
  rules.flatMap(({ id, verdict }) => (verdict === 'failed' || verdict === 'warned' ? [id] : [])).sort();

const agreedProxy = (target: string, tokenLifetime: number, processes: number): Promise<RunningProxy> =>
  proxyTo(target, { tokenLifetime: { others: tokenLifetime, byClient: new Map() }, processes });

/** The rules that a client breaks, by the examination and by the proxy that all of its calls pass. */
async function both(subject: Subject, scenario: string, clock: ProcessClock, scratch: string) {
  const { behaviour, processes = 1 } = subject;
  let judged: string[] = [];
  const runs = await examine({
    scenarios: scenarios.filter(({ name }) => name === scenario),
    scratch,
    processes,
    clock,
    deadlineSeconds: 20,
    async start(variables) {
      const tokenLifetimeSeconds = Number(variables.MRS_TOKEN_LIFETIME);
      const proxy = await agreedProxy(variables.MRS_BASE_URL, tokenLifetimeSeconds, processes);
      const environment = {
        baseUrl: proxy.url,
        clientId: variables.MRS_CLIENT_ID,
        clientSecret: variables.MRS_CLIENT_SECRET,
        tokenLifetimeSeconds,
        pollSeconds: 0.15,
        clock,
      };
      const running = Array.from({ length: processes }, () => runClient(environment, behaviour));
      return {
        ended: Promise.all(running.map(({ ended }) => ended)).then((codes) => ({ code: Math.max(...codes) })),
        async stop() {
          await proxy.close(); // What the client does on its way out is not judged.
          const { clients } = (await proxy.result()).judged;
          judged = clients.flatMap(({ certificate }) => failing(certificate.rules));
          await Promise.all(running.map((client) => client.stop()));
        },
      };
    },
  });
  return { examined: failing(certificateOf(runs).rules), judged };
}

/**
 * Each by the scenario that shows its mistake, and what both find. What depends on the moment of an expiry is left to recorded
 * traffic: the proxy goes by the time of the machine.
 */
const SHOWN: readonly [name: string, scenario: string, found: readonly string[]][] = [
  ['reactive', 'expires', []],
  ['http-1.0', 'steady', []],
  ['token-without-slash', 'steady', ['token-path']],
  ['secret-in-query', 'steady', ['credentials-place']],
  ['bearer-on-token-request', 'expires', ['token-request-without-token']],
  ['data-without-slash', 'steady', ['data-path']],
  ['token-in-query', 'steady', ['token-place']],
  ['token-per-call', 'steady', ['token-reuse']],
];

test('the proxy finds in each client what an examination finds in the same calls, where calls show it', async () => {
  const scratch = test.info().outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  using clock = startProcessClock({ isPaced: true }); // proxies go by real time
  const found: Record<string, object> = {};
  const waiting = [...SHOWN];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, scenario] = next;
      found[name] = await both(subjectNamed(name), scenario, clock, scratch);
    }
  };
  await Promise.all(Array.from({ length: 9 }, lane));
  const expected = SHOWN.map(([name, , broken]) => [name, { examined: broken, judged: broken }]);
  expect(found).toEqual(Object.fromEntries(expected));
});

/** What clients do at a service that is another program than the mock; its tokens live for two seconds. */
test('the proxy finds the same in front of another service, and nothing wrong with that', async () => {
  using clock = startProcessClock({ isPaced: true });
  const found = await Promise.all(
    ['reactive', 'data-without-slash', 'secret-in-query'].map(async (name) => {
      await using service = await startDeployment({ tokenLifetimeMs: 2000 });
      await using proxy = await agreedProxy(service.url, 2, 1);
      const { clientId, clientSecret } = service.traits;
      const environment = { baseUrl: proxy.url, clientId, clientSecret, tokenLifetimeSeconds: 2 };
      const client = runClient({ ...environment, pollSeconds: 0.15, clock }, subjectNamed(name).behaviour);
      let issues = 0;
      await new Promise<void>((resolve) => {
        proxy.journal.listen(({ reason, status }) => {
          if (reason === 'issued') issues++;
          if ((issues > 1 && reason === 'served') || status === 404) resolve();
        });
      });
      await client.stop();
      await proxy.close();
      const { judged } = await proxy.result();
      return [
        name,
        judged.clients.flatMap(({ certificate }) => failing(certificate.rules)),
        failing(judged.server.map(({ requirement, verdict }) => ({ id: requirement.id, verdict }))),
      ];
    }),
  );
  expect(found).toEqual([
    ['reactive', [], []],
    ['data-without-slash', ['data-path'], []],
    ['secret-in-query', ['credentials-place'], []],
  ]);
});
