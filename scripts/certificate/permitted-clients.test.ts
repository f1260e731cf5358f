/** Each permitted client reads and renews, and differs on the wire in what it is there for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { runClient } from '../../tests/clients/client.ts';
import { permittedClients } from '../../tests/clients/permitted.ts';
import { wrongClients } from '../../tests/clients/wrong.ts';
import { observe, type Seen } from '../testing/client-run.ts';

const hasRenewed = ({ data }: Seen) =>
  data.filter(({ status, token }) => status === 200 && token?.name === 'acme#2').length > 4;
const statuses = (seen: Seen) => [...new Set(seen.entries.map(({ status }) => status))];

test('no two clients have the same name', () => {
  const names = [...permittedClients, ...wrongClients].map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

for (const { name, summary, strategy, behaviour } of permittedClients)
  test(`${name} ${summary}`, async () => {
    const renewsItself = strategy !== 'reactive';
    const meets = renewsItself ? 'short-lived' : 'renewing';
    const seen = await observe(behaviour, { meets, until: hasRenewed, seconds: 10 });
    expect(hasRenewed(seen)).toBe(true);
    expect(statuses(seen)).toEqual(renewsItself ? [200] : [200, 403]);
    // Parallel readers are refused together, and ask once for all.
    expect(seen.tokens.length).toBe(2);
    expect(seen.ended).toBeUndefined();
    if (strategy !== 'both') return;
    const refused = await observe(behaviour, { meets: 'renewing', until: hasRenewed });
    expect(statuses(refused)).toEqual([200, 403]);
    expect(refused.tokens).toHaveLength(2);
  });

test('exits-on-lasting-403 ends with exit code 1 after one new token', async () => {
  const { behaviour } = permitted('exits-on-lasting-403');
  const seen = await observe(behaviour, { meets: 'refused', until: ({ ended }) => ended !== undefined });
  expect([seen.ended, seen.tokens.length]).toEqual([1, 2]);
});

test('health-checks asks for the health, without a token', async () => {
  const seen = await observe(permitted('health-checks').behaviour, { meets: 'renewing', until: hasRenewed });
  const checks = seen.entries.filter(({ operation }) => operation === 'checkHealth');
  expect(checks.length).toBeGreaterThan(0);
  expect(checks.map(({ request }) => request.authorization)).toEqual(checks.map(() => undefined));
});

for (const [name, pattern] of Object.entries({
  reactive:
    /^GET \/ods_data\/ HTTP\/1\.1\nAccept: application\/json\nAuthorization: Bearer t\n(.*\n)*Connection: keep-alive$/m,
  'connection-per-call': /^Connection: close$/m,
  'http-1.0': /^POST \/token\/ HTTP\/1\.0$/m,
  'lower-case-headers': /^authorization: Bearer t$/m,
  'odd-case': /^aUTHORIZATION: bearer t$/m,
  'accept-list': /^Accept: application\/json, text\/plain/m,
  'form-charset': /^Content-Type: application\/x-www-form-urlencoded;charset=UTF-8$/m,
  'scope-in-form': /^scope=read&grant_type=client_credentials&client_id=acme&client_secret=s3cret$/m,
  pages: /^GET \/ods_data\/\?page=2 /m,
}))
  test(`${name} writes it so`, async () => {
    expect(await written(name)).toMatch(pattern);
  });

function permitted(name: string) {
  const found = permittedClients.find((client) => client.name === name);
  if (!found) throw new Error(`There is no client ${name}.`);
  return found;
}

/** What a client writes for a token and two reads, as it stood on the wire. */
async function written(name: string): Promise<string> {
  let lines = '';
  let count = 0;
  const server = createServer(async (request, response) => {
    const { method, url, httpVersion, rawHeaders } = request;
    lines += `${method} ${url} HTTP/${httpVersion}\n`;
    for (let at = 0; at < rawHeaders.length; at += 2) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\n`;
    lines += `${await text(request)}\n`;
    count++;
    response.end('{"token":"t"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { baseUrl, clientId: 'acme', clientSecret: 's3cret', tokenLifetimeSeconds: 9 };
  const client = runClient({ ...env, pollSeconds: 0.02 }, permitted(name).behaviour);
  await expect.poll(() => count).toBeGreaterThan(2);
  await client.stop();
  server.close();
  return lines;
}
