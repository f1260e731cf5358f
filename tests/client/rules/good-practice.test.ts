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
