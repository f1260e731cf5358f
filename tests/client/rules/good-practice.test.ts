import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  every,
  judgedBy,
  type Made,
  reads,
  trafficOf,
  verdictOf,
  withToken,
} from '../testing/traffic.ts';

const start = [asks(0, 1), ...every(200, 20, 1000, withToken(1))];
const check = (more: Partial<Made> = {}): Made => {
  const { token: _, authorization: __, standing: ___, ...bare } = reads(1020, 1);
  return { ...bare, kind: 'health', path: '/health/', ...more };
};
const verdict = (rule: string, ...calls: Made[]) => verdictOf(rule, trafficOf([...start, ...calls]));

test('a token request with an Authorization header is warned of, since the form is all that it takes', () => {
  expect(verdict('token-request-without-token')).toBe('passed');
  for (const authorization of ['bearer', 'malformed'] as const) {
    const traffic = trafficOf([asks(0, 1, { authorization }), reads(20, 1)]);
    expect(judgedBy('token-request-without-token', traffic)).toMatchObject({
      verdict: 'warned',
      findings: [{ verdict: 'warned', seen: '1 token request had an Authorization header.', calls: [1] }],
    });
  }
});

test('a health check with a token is warned of, one without has passed, and none is nothing', () => {
  expect(verdict('health-without-token')).toBe('not-applicable');
  expect(verdict('health-without-token', check())).toBe('passed');
  expect(verdict('health-without-token', check({ authorization: 'bearer' }))).toBe('warned');
});

test('a call of what the contract does not have is warned of, with what it was', () => {
  expect(verdict('known-paths', check())).toBe('passed');
  const stray = check({ kind: 'other', path: '/data', status: 404 });
  expect(judgedBy('known-paths', trafficOf([...start, stray])).findings[0]?.seen).toBe(
    'It asked for GET /data, which is answered with 404.',
  );
  const twice = judgedBy('known-paths', trafficOf([...start, stray, { ...stray, startMs: 1040 }]));
  expect([twice.verdict, twice.findings[0]?.seen]).toEqual([
    'warned',
    'It asked for GET /data, which is answered with 404, and so on: 2 calls.',
  ]);
});

test.describe('unused-token', () => {
  test('a token that no read carries is warned of, once the client read on', () => {
    const unused = [asks(1020, 2), asks(1040, 3)];
    expect(verdict('unused-token', ...unused, ...every(200, 1060, 2000, withToken(3)))).toBe('warned');
    expect(verdict('unused-token', ...unused, reads(1060, 3), reads(1260, 3))).toBe('passed'); // of the first alone
    expect(verdict('unused-token')).toBe('passed');
  });

  test('a token that was renewed by a timer before anything was read has passed', () => {
    const seldom = [asks(2400, 2), asks(4800, 3), ...every(5000, 5000, 21_000, withToken(3))];
    expect(verdict('unused-token', ...seldom)).toBe('passed');
  });

  test('one that a library drops is not judged where tokens live shorter than it keeps in reserve', () => {
    const calls = [asks(0, 1), asks(20, 2), ...every(200, 40, 1000, withToken(2))];
    const unused = (agreedSeconds: number) => verdictOf('unused-token', trafficOf(calls, { agreedSeconds }));
    expect([unused(3), unused(900)]).toEqual(['passed', 'warned']);
  });

  test('the last token of a client that was ended has passed', () => {
    expect(verdict('unused-token', asks(1020, 2))).toBe('passed');
    expect(verdict('unused-token', asks(1020, 2), reads(1030, 1), reads(1050, 1))).toBe('passed');
  });

  test('each process may go on with its own for a while', () => {
    const calls = [asks(1020, 2), ...every(200, 1060, 1600, withToken(1))];
    expect(verdictOf('unused-token', trafficOf([...start, ...calls], { processes: 2 }))).toBe('passed');
    expect(verdictOf('unused-token', trafficOf([...start, ...calls], { processes: 1 }))).toBe('warned');
  });
});
