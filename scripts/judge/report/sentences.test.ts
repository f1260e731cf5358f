import { expect, _baseTest as test } from '@playwright/test';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { asks, CLIENT_SECRET, FORM, reactiveTraffic, reads } from '../../../tests/traffic/testing/har.ts';
import { reportOnCalls } from '../testing/judged.ts';
import { createSentences, wordsAmong } from './sentences.ts';

function redact(sentence: string, secret: string, quoted: string[] = []): string {
  const secrets = createSecrets();
  secrets.register(secret, 'client secret');
  return createSentences(secrets, [[secret, 'client secret']]).redact(sentence, quoted);
}

for (const secret of ['token', 'request', 'another secret of it'])
  test(`our own words stay where the secret is "${secret}"`, () => {
    const sentence = 'A token was refused: another was asked for, in 3 requests.';
    expect(redact(sentence, secret)).toBe(sentence);
  });

for (const [what, path, expected] of [
  ['a secret', '/other/token', 'It sent GET /other/‹client secret›, a token request.'],
  ['nothing secret', '/other/x', 'It sent GET /other/x, a token request.'],
] as const)
  test(`a path with ${what} is quoted without it, and our words around it stay`, () => {
    expect(redact(`It sent GET ${path}, a token request.`, 'token', [path, 'GET'])).toBe(expected);
  });

test('a part of a secret is taken out of what is quoted', () => {
  expect(redact('It sent GET /x/s3cret-of-t.', 's3cret-of-the-station', ['/x/s3cret-of-t'])).not.toContain(
    's3cret',
  );
});

test('a whole secret is taken out, wherever it is', () => {
  expect(redact('It has the member s3cret-of-it.', 's3cret-of-it')).not.toContain('s3cret');
});

test('secrets that are words of our sentences are named', () => {
  const values = ['token', 'hunter', 's3cret-7'].map((value) => [value, 'client secret'] as const);
  expect(wordsAmong(values, ['A token was refused with s3cret-7.'])).toEqual(['token']);
});

for (const secret of ['token', 'reads', 'another secret of it'])
  test(`the sentences of a report do not depend on a secret such as "${secret}"`, async () => {
    const traffic = (client_secret: string) => [
      ...reactiveTraffic().map((call) =>
        call.path === '/token/'
          ? asks(call.at, call.at / 62 + 1, { form: { ...FORM, client_secret } })
          : call,
      ),
      reads(170, 3, { path: '/ods_data', status: 301, body: '' }),
      ...[0, 1, 2, 3].map((nth) => asks(171 + nth, `more-${nth}`, { form: { ...FORM, client_secret } })),
    ];
    const sentencesOf = async (value: string) => {
      const { server, client } = await reportOnCalls(traffic(value), { lifetimeSeconds: 60 });
      return [
        ...server.requirements.map(({ evidence }) => evidence),
        ...client.rules.flatMap(({ findings }) => findings.map(({ seen }) => seen)),
      ];
    };
    expect(await sentencesOf(secret)).toEqual(await sentencesOf(CLIENT_SECRET));
  });
