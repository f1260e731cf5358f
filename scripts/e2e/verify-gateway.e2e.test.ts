/** `mrs verify` against a deployment with a gateway in front of it: a private authority, and a header with a key. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createCertificate } from '../../tests/server/probe/testing/certificate.ts';
import { listening } from '../../tests/support/testing/listening.ts';
import { json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { expectNowhere, newFolder } from './testing/mrs.ts';
import { factIn, failedIn, verify } from './testing/verify-run.ts';

const KEY = 'gate-7f3a9c51e2d8';
const HEADER = ['--header', 'X-Api-Key=env:GATEWAY_KEY'];

/** Refuses whatever does not have the key. */
const guarded: Partial<Traits> = {
  ...untimed,
  send: (answer, { headers }) => (headers['x-api-key'] === KEY ? answer : json(403, { error: 'no key' })),
};

test('a private authority is an incomplete run that names --ca, and a conformant one with it', async () => {
  const authority = createCertificate('Test authority', {});
  const { cert, key } = createCertificate('leaf', { issuer: authority, host: 'localhost' });
  await using deployment = await startDeployment(untimed);
  const { port } = new URL(deployment.url);
  await using front = await listening(
    createServer({ cert, key }, (socket) => {
      const back = connect(Number(port), '127.0.0.1');
      for (const one of [socket, back]) one.on('error', () => {});
      back.on('close', () => socket.destroy());
      socket.pipe(back).pipe(socket);
    }),
    'localhost',
  );
  const MRS_BASE_URL = front.url.replace('http', 'https');
  const bundle = join(newFolder(), 'ca.pem');
  writeFileSync(bundle, authority.cert);

  const refused = await verify({ ...deployment.env, MRS_BASE_URL });
  expect(refused).toMatchObject({
    code: 3,
    report: {
      reason: 'tls',
      items: expect.arrayContaining([
        expect.objectContaining({
          reason: expect.stringContaining('give --ca (MRS_CA) the PEM file of its authority'),
        }),
      ]),
    },
  });
  expect(await verify({ ...deployment.env, MRS_BASE_URL }, ['--ca', bundle])).toMatchObject({
    code: 0,
    report: { outcome: 'conformant' },
  });
});

test('the key of a gateway is sent with each request, and does not leave the run', async () => {
  await using deployment = await startDeployment({
    ...guarded,
    refusedToken: ({ kind }) => json(kind === 'expired' ? 403 : 401, { error: kind, key: KEY }),
  });
  const run = await verify({ ...deployment.env, GATEWAY_KEY: KEY }, HEADER);
  expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
  expect(deployment.calls.map(({ headers }) => headers['x-api-key'])).toEqual(
    deployment.calls.map(() => KEY),
  );
  expect(deployment.calls.some(({ path, token }) => path === '/ods_data/' && token === undefined)).toBe(true);
  expectNowhere(run, [KEY]);
  expect(Object.values(run.files).join('\n')).toContain('‹$GATEWAY_KEY›');
  expect(factIn(run.report, 'Gateway header')).toBe('X-Api-Key, from the variable GATEWAY_KEY');
});

test('a deployment that knows the suite by its user agent is found with another', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    send: (answer, { path, headers }) =>
      path === '/ods_data/' && !/mrs-contract/.test(String(headers['user-agent']))
        ? json(200, { requests: [{ number: 1 }] })
        : answer,
  });
  expect(await verify(deployment.env)).toMatchObject({ report: { outcome: 'conformant' } });
  const known = await verify({ ...deployment.env, MRS_USER_AGENT: 'telescope/2.1' });
  expect(known.report?.outcome).toBe('nonconformant');
  expect(factIn(known.report, 'User agent')).toBe('telescope/2.1');
  expect(failedIn(known.report)).toContain('MRS-1.3');
});
