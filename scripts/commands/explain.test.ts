import { expect, test } from 'vitest';
import { ledger } from '../../tests/support/requirements.ts';
import { explain } from './explain.ts';

for (const [id, ...words] of [
  [
    'MRS-7a',
    'has status 403',
    '7 of the specification',
    'the data with the expired token',
    'Answer with 403',
  ],
  ['mrs-4.1k', 'by a reading of the specification', 'RFC 8259', 'traffic of any client'],
  ['MRS-4.3a', 'the health checks at the paths of --health-paths'],
  ['MRS-7e@rfc6750', 'an open point', 'What is the answer to a request without a token'],
  ['token-reuse', 'a rule for clients', 'MRS-5.3a: The client requests a token once', 'burdens the service'],
  ['keeps-running', 'a rule for readers of feeds', 'good practice'],
  ['running-vanished', 'a rule for feeds over time', 'Keep each record until its end'],
  ['feed-complete', 'Every record is read'],
  ['digit-string', 'a rule for feeds', 'https://github.com/', 'Send the number without quotes.'],
] as const)
  test(`mrs explain ${id} says what is asked for, and what to do`, () => {
    const text = explain(id).replaceAll(/\s+/g, ' ');
    for (const word of words) expect(text).toContain(word);
  });

test('each requirement for deployments is explained by its requests, its violation and what to do', () => {
  for (const { id } of ledger.filter(({ kind }) => kind === 'server' || kind === 'interpretation'))
    expect(explain(id), id).toMatch(/\n {2}requests .*\n {2}violation .*\n {2}to do /s);
});

test('no line is wider than a terminal but for a URL', () => {
  const lines = ledger.flatMap(({ id }) => explain(id).split('\n'));
  expect(lines.filter((line) => line.length > 80 && !line.includes('http'))).toEqual([]);
});

for (const [id, sentence] of [
  ['tokn-reuse', 'There is no requirement or rule "tokn-reuse". The nearest is token-reuse; '],
  ['MRS-7', 'There is no requirement or rule "MRS-7". There are MRS-7a, MRS-7b, '],
  ['5.3', '"5.3". There are MRS-5.3a, MRS-5.3b; mrs explain lists all'],
] as const)
  test(`the unknown id ${id} is refused with what is near`, () => {
    expect(() => explain(id)).toThrow(sentence);
  });

for (const [id, has, hasNot] of [
  ['MRS-7a', 'the data with the expired token again', 'as HTML'],
  ['MRS-5.6b', 'the data with the new token', 'as HTML'],
  ['MRS-4.1m', 'the form with the same credentials again', 'a form with valid credentials'],
] as const)
  test(`mrs explain ${id} names the requests that decide`, () => {
    const text = explain(id).replaceAll(/\s+/g, ' ');
    expect(text).toContain(has);
    expect(text).not.toContain(hasNot);
  });
