/** The proxy judges clients of the corpus at a service that is another program than the mock. */
import { expect, _baseTest as test } from '@playwright/test';
import { runClient } from '../../tests/client/corpus/parts.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { startDeployment } from '../e2e/testing/deployment.ts';
import { proxyTo } from './testing/proxied.ts';

const failing = (rules: readonly { id: string; verdict: string }[]): string[] =>
  rules.flatMap(({ id, verdict }) => (verdict === 'failed' || verdict === 'warned' ? [id] : [])).sort();

/** What depends on the moment of an expiry is left to recorded traffic: the proxy goes by the time of the machine. */
const CLIENTS: Record<string, string[]> = {
  reactive: [],
  'http-1.0': [],
  'token-without-slash': ['token-path'],
  'secret-in-query': ['credentials-place'],
  'bearer-on-token-request': ['token-request-without-token'],
  'data-without-slash': ['data-path'],
  'token-in-query': ['token-place'],
  'token-per-call': ['token-reuse'],
};

test('the proxy finds in each client what it does wrong, and nothing wrong with the service', async () => {
  const found = await Promise.all(
    Object.keys(CLIENTS).map(async (wanted) => {
      const subject = [...wrongClients, ...permittedClients].find(({ name }) => name === wanted);
      if (!subject) throw new Error(`There is no client ${wanted}.`);
      // A token that lives that briefly may be replaced after a few calls.
      const tokenLifetimeSeconds = wanted === 'token-per-call' ? 600 : 2;
      await using service = await startDeployment({ tokenLifetimeMs: tokenLifetimeSeconds * 1000 });
      const tokenLifetime = new Map([[undefined, tokenLifetimeSeconds]]);
      const counts = { issued: 0, served: 0 };
      let resolveSeen = () => {};
      const isSeen = new Promise<void>((resolve) => {
        resolveSeen = resolve;
      });
      await using proxy = await proxyTo(service.url, {
        tokenLifetime,
        onCall({ reason, status }) {
          if (reason === 'issued' || reason === 'served') counts[reason]++;
          if ((counts.issued > 1 && counts.served > 9) || status === 404) resolveSeen();
        },
      });
      const { clientId, clientSecret } = service.traits;
      const environment = { baseUrl: proxy.url, clientId, clientSecret, tokenLifetimeSeconds };
      const client = runClient({ ...environment, pollSeconds: 0.15 }, subject.behaviour);
      await isSeen;
      await client.stop();
      await proxy.close();
      const { clients, server } = (await proxy.result()).judged;
      const ofService = server.map(({ requirement, verdict }) => ({ id: requirement.id, verdict }));
      expect(failing(ofService), wanted).toEqual([]);
      return [wanted, clients.flatMap(({ certificate }) => failing(certificate.rules))];
    }),
  );
  expect(Object.fromEntries(found)).toEqual(CLIENTS);
});
