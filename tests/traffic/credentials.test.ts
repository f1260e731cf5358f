import { expect, test } from 'vitest';
import { findSecrets } from './credentials.ts';
import { type RecordedExchange, UNREAD } from './exchange.ts';
import { tokenHistoryOf } from './tokens.ts';

const sent = (path: string, more: Partial<RecordedExchange> = {}, clientSecret?: string) => ({
  ...{ ...BLANK, path, ...more },
  clientSecret,
});
const BLANK = {
  entry: 1,
  kind: 'other' as const,
  sentMs: 0,
  answeredMs: 1,
  method: 'GET',
  origin: 'https://mrs.example',
  query: [],
  ...{ headers: [], lacks: [], misplaced: [], ...UNREAD },
};
const secretsIn = (...calls: ReturnType<typeof sent>[]) => [
  ...findSecrets(calls, tokenHistoryOf([]), []).values,
];

test('a secret in a path is among those that are removed, however many others there are', () => {
  const secret = 'the-secret-in-the-path-q7';
  const others = Array.from({ length: 5001 }, (_, nth) => sent('/token/', {}, `w${nth}--`));
  const call = sent(`/other/${secret}`, {}, secret);
  expect(secretsIn(...others, call)).toContain(secret);
  expect(call.misplaced).toEqual([{ what: 'client_secret', where: 'path' }]);
});

test('a session in a path is a secret', () => {
  for (const name of ['jsessionid', 'sid', 'PHPSESSID'])
    expect(secretsIn(sent(`/ods_data/;${name}=5F2A9C77D1;v=1/x`))).toEqual(['5F2A9C77D1']);
});

test('the password and the token of another grant are secrets, and the other fields are not', () => {
  const form = 'grant_type=password&username=station-7&password=pa55-of-it&refresh_token=r3fresh-it';
  const headers = [['content-type', 'application/x-www-form-urlencoded']] as const;
  expect(secretsIn(sent('/token/', { headers, body: form }))).toEqual(['pa55-of-it', 'r3fresh-it']);
});

test('cookies do not take the place of credentials', () => {
  const cookie = Array.from({ length: 6000 }, (_, nth) => `c${nth}=value-of-${nth}`).join('; ');
  const secrets = secretsIn(
    sent('/other/', { headers: [['cookie', cookie]] }),
    sent('/ods_data/', { headers: [['authorization', 'Basic of-a-later-call']] }),
  );
  expect(secrets).toHaveLength(5000);
  expect(secrets).toContain('of-a-later-call');
});

for (const mark of ['[REDACTED]', '********', '<redacted>', '‹not kept›'])
  test(`${mark} in the place of a value is not a secret`, () => {
    expect(secretsIn(sent('/ods_data/', { headers: [['authorization', `Bearer ${mark}`]] }))).toEqual([]);
  });

for (const secret of ['very secret', '<abc>', '(hidden by the hill)', 'redacted-by-7'])
  test(`a secret that resembles a mark is one: ${secret}`, () => {
    const body = new URLSearchParams({ client_secret: secret }).toString();
    const headers = [['content-type', 'application/x-www-form-urlencoded']] as const;
    expect(secretsIn(sent('/token/', { headers, body }))).toEqual([secret]);
  });

test('the names that the proxy writes in the place of tokens and secrets are no secrets', () => {
  const mark = '‹token-of-acme-1›';
  expect(secretsIn(sent('/ods_data/', { headers: [['authorization', `Bearer ${mark}`]] }))).toEqual([]);
  const issued = { kind: 'token' as const, startMs: 0, endMs: 1, status: 200, token: mark };
  const call = sent('/other/', { query: [['client', 'token-of-acme-1']] }, '‹secret-1›');
  findSecrets([call], tokenHistoryOf([issued]), []);
  expect(call.misplaced).toEqual([]);
});
