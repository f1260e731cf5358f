import { createServer } from 'node:http';
import { expect, _baseTest as test } from '@playwright/test';
import { target as fake } from '../testing/fake-api.ts';
import { listening } from '../testing/listening.ts';
import { describePlan } from './dry-run.ts';

const target = { ...fake, baseUrl: 'https://mrs.example', tokenLifetimeSeconds: 60 };

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
  await using server = await listening(createServer((_, response) => response.end(`${++requests}`)));
  describePlan({ ...target, baseUrl: server.url });
  expect(requests).toBe(0);
});
