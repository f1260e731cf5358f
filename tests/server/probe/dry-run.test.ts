import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, _baseTest as test } from '@playwright/test';
import { describePlan } from './dry-run.ts';
import type { Target } from './target.ts';

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

test('a token that the operator says has expired is listed, without its value', async () => {
  const printed = describePlan({ ...target, tokenLifetimeSeconds: 900, expiredToken: 'old-token' });
  expect(printed).toMatch(expired);
  expect(printed).not.toContain('old-token');
});

test('nothing is sent', async () => {
  let requests = 0;
  const server = createServer((_, response) => response.end(`${++requests}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  describePlan({ ...target, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await new Promise((resolve) => server.close(resolve));
  expect(requests).toBe(0);
});
