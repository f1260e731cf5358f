import { expect, test } from 'vitest';
import { OF_CLIENTS } from '../../tests/client/judge.ts';
import { examine } from './examine.ts';
import type { StartClient } from './program.ts';
import { deadlineOf, listOfExamination, readerScenarios, scenarios, withTokenLifetime } from './scenarios.ts';

const scenario = (name: string) => {
  const found = scenarios.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

/** The agreed lifetime and those of the tokens, as they are and for a lifetime of 90 s. */
for (const [name, agreed, lives, at90] of [
  ['steady', 900, [900], [900]],
  ['expires', 3, [3], [90]],
  ['expires-again', 2, [2], [90]],
  ['ended-early', 6, [6], [90]],
  ['shorter-than-agreed', 6, [2], [30]],
  ['token-down', 3, [3], [90]],
  ['token-slow', 3, [4, 900], [91, 900]],
] as const)
  test(`tokens of ${name} live ${lives} s, and ${at90} s where 90 s are given`, () => {
    expect(scenario(name)).toMatchObject({ agreedSeconds: agreed, lifetimesSeconds: lives });
    const scaled = withTokenLifetime(scenario(name), 90);
    expect(scaled.lifetimesSeconds).toEqual(at90);
    const isScaled = name !== 'steady'; // No token expires in it.
    expect([scaled.agreedSeconds, scaled.longLived]).toEqual(isScaled ? [90, false] : [900, undefined]);
  });

test('scenarios serve what is open in several forms, which their summaries name, and steady in the usual one', () => {
  const forms = scenarios.filter(({ mock, idSuffix }) => mock || idSuffix);
  expect(forms.map(({ name, summary }) => [name, summary.split('; ')[1]])).toEqual([
    ['odd-secret', 'the client id and the secret also contain a space and a slash'],
    ['expires', 'tokens have 1,500 characters'],
    ['shorter-than-agreed', 'tokens contain - . _ ~ + / and ='],
    ['ended-early', 'tokens have three parts, like a JWT'],
    ['403-empty', 'the base URL has a path'],
    ['403-html', 'the token response is JSON in several lines, with an escaped slash'],
  ]);
  expect(listOfExamination({ catalogue: OF_CLIENTS, scenarios })).toContain('the base URL has a path');
});

for (const [name, form, url] of [
  ['expires', /^\{"token":"[\w-]{1500}"\}$/, /:\d+$/],
  ['shorter-than-agreed', /^\{"token":"[\w-]+\._~\+\/=="\}$/, /:\d+$/],
  ['ended-early', /^\{"token":"eyJ\w+\.[\w-]+\.[\w-]+"\}$/, /:\d+$/],
  ['403-html', /^\{\n {2}"token": "[\w-]+\\\/[+~.=]+"\n\}\n$/, /:\d+$/],
  ['403-empty', /^\{"token":"[\w-]+"\}$/, /:\d+\/api\/v1$/],
  ['odd-secret', /^\{"token":"[\w-]+"\}$/, /:\d+$/],
] as const)
  test(`in ${name} a client gets a base URL and a token of the form that its summary names, and reads with that token`, async () => {
    let seen: unknown[] = [];
    const start: StartClient = async (given) => {
      const { MRS_BASE_URL: base, MRS_CLIENT_ID: client_id, MRS_CLIENT_SECRET: client_secret } = given;
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
      const answer = await fetch(`${base}/token/`, {
        method: 'POST',
        body,
        headers: { accept: 'application/json' },
      });
      const text = await answer.text();
      const headers = { accept: 'application/json', authorization: `Bearer ${JSON.parse(text).token}` };
      seen = [base, text, (await fetch(given.MRS_DATA_URL, { headers })).status, /[ /%]/.test(client_id)];
      return { ended: Promise.resolve({ code: 0 }), stop: async () => {} };
    };
    await examine({ scenarios: [scenario(name)], start });
    expect(seen).toEqual([
      ...[expect.stringMatching(url), expect.stringMatching(form), 200, name === 'odd-secret'],
    ]);
  });

test('a scenario for readers plays what the mock has under its name, with the number of records that is judged', () => {
  const readers = (name: string) => readerScenarios.find((one) => one.name === name);
  expect(readers('data-500')).toMatchObject({ served: 20, mock: { records: 20 } });
  expect(readers('data-500')?.mock).not.toHaveProperty('variant');
  const [failing] = readers('data-500')?.script(2) ?? [];
  expect(failing).toMatchObject({ from: 3, times: 3, do: { answer: { status: 500 } } });
  expect(readers('data-emptied')?.served).toBe(0);
  const severalBands = { served: 40, mock: { records: 20, variant: 'rec-several-bands' } };
  expect(readers('rec-several-bands')).toMatchObject(severalBands);
  // The mock also has a permitted deployment of this name.
  expect(readers('data-array')).toMatchObject({ mock: { records: 20 } });
  expect(readers('data-array')?.script(2)).toHaveLength(1);
});

test('the time limit lets a client that renews by its clock meet the end of early tokens', () => {
  const limit = (name: string) => deadlineOf(withTokenLifetime(scenario(name), 120));
  // Each token of 120 s lives 40 s, and the client renews after 118 s; the fourth has to end.
  expect(limit('shorter-than-agreed')).toBeGreaterThan(3 * 118 + 40 + 10);
  expect(limit('expires')).toBeGreaterThan(150);
  expect(limit('steady')).toBe(30);
});
