/** Two mocks of one key behind a balancer, judged by our own suite: they are as good as one mock. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { newFolder, startMrs } from '../e2e/testing/mrs.ts';
import { verify } from '../e2e/testing/verify-run.ts';

const KEY = 'a key of at least 32 characters, for the tests';
/** Long enough for a run of the suite on a busy machine, which waits for an expiry. */
const LIFETIME = '6';

/** A mock in a process of its own, once it listens. */
async function startReplica(keyFile: string) {
  const args = ['mock', '--port', '0', '--token-key', keyFile, '--log', 'json', '--token-lifetime', LIFETIME];
  const { child, ended } = startMrs(args, { env: { MRS_CLIENT: 'acme:s3cret' } });
  const lines = createInterface(child.stdout as NodeJS.ReadableStream);
  const early = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  const [line] = await Promise.race([once(lines, 'line'), early]);
  return { port: Number(new URL(JSON.parse(line).url).port), child, ended };
}

/** Hands each request to the next of the ports. */
async function startBalancer(ports: readonly number[]) {
  let calls = 0;
  const server = createServer((request, response) => {
    const { method, url: path, rawHeaders: headers } = request;
    const port = ports[calls++ % ports.length];
    const asked = send({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.pipe(response);
    });
    request.pipe(asked.on('error', () => response.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test('two mocks of one key in turn are conformant: each reads with the tokens of the other', async () => {
  const keyFile = join(newFolder(), 'token.key');
  writeFileSync(keyFile, KEY);
  const replicas = await Promise.all([startReplica(keyFile), startReplica(keyFile)]);
  const { url, server } = await startBalancer(replicas.map(({ port }) => port));
  const run = await verify({
    MRS_BASE_URL: url,
    MRS_CLIENT_ID: 'acme',
    MRS_CLIENT_SECRET: 's3cret',
    MRS_TOKEN_LIFETIME: LIFETIME,
    MRS_HEALTH_PATHS: '/health/',
  }).finally(() => {
    server.close();
    server.closeAllConnections();
    for (const { child } of replicas) child.kill('SIGTERM');
  });
  expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
  for (const { ended } of replicas) {
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/"operation":"readData".*"status":200/g)?.length).toBeGreaterThan(2);
    expect(stdout.includes(KEY)).toBe(false);
  }
});
