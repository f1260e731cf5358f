import { expect, _baseTest as test } from '@playwright/test';
import type { Http, HttpRequest } from './http.ts';
import { createAdvanceClock } from './mock-clock.ts';

const answering = (answer: Awaited<ReturnType<Http['exchange']>>) => {
  const asked: HttpRequest[] = [];
  const http: Http = {
    exchange: async (request) => {
      asked.push(request);
      return answer;
    },
    close: async () => {},
  };
  return { asked, http };
};

test('the clock is moved at the root of the mock, whatever its base path, with the key', async () => {
  const { asked, http } = answering({ status: 200, headers: [], body: Buffer.from('{}') });
  expect(await createAdvanceClock('http://127.0.0.1:4010/api', 'the-key', http)(900)).toBeUndefined();
  expect(asked).toEqual([
    {
      method: 'PUT',
      url: 'http://127.0.0.1:4010/__mock/clock',
      headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
      body: '{"action":"advance","by":900}',
    },
  ]);
});

for (const [what, answer, says] of [
  [
    'it is no mock',
    { status: 404, headers: [], body: Buffer.alloc(0) },
    /\/__mock\/clock answered 404\. Give /,
  ],
  ['it does not answer', { failure: 'refused the connection' }, /\/__mock\/clock refused the connection\.$/],
] as const)
  test(`where ${what}, a sentence says so, without the key`, async () => {
    const { http } = answering(answer as Awaited<ReturnType<Http['exchange']>>);
    const said = await createAdvanceClock('http://127.0.0.1:4010', 'the-key', http)(1);
    expect(said).toMatch(says);
    expect(said).not.toContain('the-key');
  });
