import { expect, _baseTest as test } from '@playwright/test';
import { readForm } from '../condition.ts';

const whole = 'grant_type=client_credentials&client_id=a&client_secret=b';

test('a form with each field once is complete', () => {
  expect(readForm(whole)).toEqual({
    values: { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' },
    complete: true,
    names: ['grant_type', 'client_id', 'client_secret'],
  });
});

test('fields that the contract does not have play no part, repeated or not', () => {
  expect(readForm(`${whole}&scope=x&scope=y&__proto__=z`).complete).toBe(true);
});

test('values are decoded as form fields', () => {
  expect(readForm('client_id=a+b%26&client_secret=%C3%A4').values).toMatchObject({
    client_id: 'a b&',
    client_secret: 'ä',
  });
});

for (const [what, body] of [
  ['a missing field', 'grant_type=client_credentials&client_id=a'],
  ['an empty field', 'grant_type=client_credentials&client_id=&client_secret=b'],
  ['a field without an equals sign', 'grant_type=client_credentials&client_id&client_secret=b'],
  ['a repeated field', `${whole}&client_id=a`],
  ['a leading question mark', `?${whole}`],
  ['malformed percent-encoding in a name', '%=a&grant_type=x'],
  ['nothing', ''],
] as const)
  test(`a form with ${what} is incomplete`, () => {
    expect(readForm(body).complete).toBe(false);
  });
