/** Options that name what never came. */
import { expect, _baseTest as test } from '@playwright/test';
import type { Judged } from '../judge/read-recording.ts';
import { missedHealthPaths, missingClient } from './run-proxy.ts';

const call = (method: string, path: string, kind: Judged['kind'] = 'other'): Judged => ({
  kind,
  recorded: { hasBody: false, brings: { token: false, json: false, error: false } },
  exchange: { entry: 1, startMs: 0, endMs: 0, method, origin: '', path, query: [], headers: [] },
});

test('an injected client that never came is named, with those that did', () => {
  expect(missingClient('acme', ['demo', 'other'])).toBe(
    'No token request had the id acme of --client, so nothing was injected. Seen: demo, other. Correct --client.',
  );
  for (const none of [[], ['client without an id']])
    expect(missingClient('acme', none)).toMatch(/ Start that client with the proxy as its base URL\.$/);
  expect(missingClient('acme', ['acme'])).toBeUndefined();
});

for (const [checks, method, path, named] of [
  ['/health/', 'GET', '/health', '/health'],
  ['/health', 'GET', '/health/', '/health/'],
  ['/health', 'GET', '/Health', '/Health'],
  ['/api/health', 'GET', '/health', '/health'],
  ['/health', 'GET', '/v1/health', '/v1/health'],
  ['/health', 'HEAD', '/health', 'HEAD /health'],
] as const)
  test(`${method} ${path} is close to the health check ${checks}`, () => {
    expect(missedHealthPaths([checks], [call(method, path), call(method, path)])).toEqual([
      `No call was for ${checks} of --health-paths, and ${method} ${path} passed 2 times. If that is the health check, give --health-paths ${named}.`,
    ]);
  });

test('a health check that was met, or that nothing is close to, is not reported', () => {
  expect(missedHealthPaths(['/health'], [call('GET', '/health/'), call('GET', '/health', 'health')])).toEqual(
    [],
  );
  expect(missedHealthPaths(['/health'], [call('GET', '/healthy'), call('GET', '/')])).toEqual([]);
});
