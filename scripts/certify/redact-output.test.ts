/** Neither the secret nor a token is in what is kept of a client's output. */
import { randomBytes } from 'node:crypto';
import { expect, _baseTest as test } from '@playwright/test';
import { createSecrets } from '../../tests/support/secrets.ts';
import { redactOutput } from './redact-output.ts';

const SECRET = 'Secr3t_of-the-client-0123456789A';
const TOKEN = 'T0ken-of_the-client-abcdefghijkl';
const secrets = createSecrets();
secrets.register(SECRET, 'client_secret');
const tokenName = (value: string) => (value === TOKEN ? 'acme#1' : undefined);
const print = (text: string) => redactOutput(text, secrets, tokenName);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const ways: Record<string, (value: string) => string> = {
  plain: (value) => value,
  'a field of a form': (value) => `client_secret=${encodeURIComponent(value)}&x=1`,
  'a string of JSON': (value) => JSON.stringify({ value }),
  'the end of a longer word': (value) => `Bearer_${value}`,
  'the middle of a longer word': (value) => `x-${value}_x`,
  base64: base64,
  'base64 after one character': (value) => base64(`:${value}`),
  'base64 after two characters': (value) => base64(`a:${value}`),
  base64url: (value) => Buffer.from(`acme:${value}`).toString('base64url'),
  'base64 in JSON after a name': (value) => `{"basic":"Basic ${base64(`acme:${value}`)}"}`,
  coloured: (value) => `\u001b[31m${value}\u001b[0m`,
  'coloured in the middle': (value) => `${value.slice(0, 9)}\u001b[1m${value.slice(9)}`,
};

for (const [way, write] of Object.entries(ways))
  test(`a secret and a token are taken out: ${way}`, () => {
    expect(print(write(SECRET))).toContain('‹client_secret›');
    expect(print(write(SECRET))).not.toMatch(/Secr3t|U2Vjcj/);
    expect(print(write(TOKEN))).toMatch(/‹token (acme#1|in base64)›/);
    expect(print(write(TOKEN))).not.toMatch(/T0ken|VDBrZW/);
  });

test('other words stay, however long', () => {
  const text = `${randomBytes(300).toString('base64')} ${'a'.repeat(200)} ${randomBytes(24).toString('base64url')}\n`;
  expect(print(text)).toBe(text);
});

test('what a terminal would obey is shown or left out, and lines stay lines', () => {
  expect(print('\u001b]0;title\u0007a\r\nb\tc\u0000\u202ed\u001b[2J')).toBe('a\nb\tc\\u{0000}\\u{202e}d');
});
