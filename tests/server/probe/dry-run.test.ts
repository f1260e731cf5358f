import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, _baseTest as test } from '@playwright/test';
import { describePlan } from './dry-run.ts';
import type { Target } from './target.ts';
import { openVault } from './vault.ts';

const target: Target = {
  baseUrl: 'https://mrs.example',
  clientId: 'station',
  clientSecret: 'hunter2',
  tokenLifetimeSeconds: 60,
  healthPaths: ['/health/'],
  maxWaitSeconds: 120,
  timeoutSeconds: 10,
  bodyLimitBytes: 1024,
  safe: false,
  allowUploads: false,
};

const expired = /^GET {5}\/ods_data\/ {2}the data with the expired token$/m;

test('every request is listed with its cost, in 80 columns', async () => {
  const printed = describePlan(target);
  const requests = printed.match(/^(GET|POST|HEAD|OPTIONS) /gm) ?? [];
  expect(printed).toContain(
    `\n${requests.length} requests, 4 of them token requests with valid credentials, 4 with`,
  );
  expect(printed).toMatch(expired);
  expect(printed).not.toContain('hunter2');
  for (const line of printed.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
});

test('a safe run sends no wrong secret for the real client', async () => {
  const printed = describePlan({ ...target, safe: true });
  expect(printed).not.toMatch(/ (with the client_secret (without|and|in)|with an empty client_secret)/);
  expect(printed).toContain(', 0 with a wrong\n');
});

test('a lifetime that is too long to wait for leaves the expired token out', async () => {
  expect(describePlan({ ...target, tokenLifetimeSeconds: 900 })).not.toMatch(expired);
});

test('a token that was kept until it expired is replayed, and stays where it is', async () => {
  const tokenVault = test.info().outputPath('vault');
  const long = { ...target, tokenLifetimeSeconds: 900, tokenVault };
  const kept = { token: 'kept-token', obtainedAt: Date.now() - 1_000_000, lifetimeSeconds: 900 };
  openVault(tokenVault, long).write(kept);
  const printed = describePlan(long);
  expect(printed).toMatch(expired);
  expect(printed).not.toContain('kept-token');
  expect(openVault(tokenVault, long).read()).toEqual(kept);
});

test('nothing is sent', async () => {
  let requests = 0;
  const server = createServer((_, response) => response.end(`${++requests}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  describePlan({ ...target, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await new Promise((resolve) => server.close(resolve));
  expect(requests).toBe(0);
});
