/** No secret leaves a run of `mrs verify`, and none sways its verdict. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { judge, newDirectory, seenIn, verify, verifyHere } from './testing/verify-run.ts';

for (const clientSecret of ['1', 'json'])
  test(`the verdict does not hang on the secret being ${clientSecret}`, async () => {
    const run = await judge({ clientSecret }, {}, verifyHere);
    expect(run).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const ids = run.report?.exchanges.map(({ id }) => id) ?? [];
    expect(ids).toEqual(ids.map((_, at) => `x${at + 1}`));
  });

const MINTS: Traits['mint'][] = [
  (serial) => `tok/${serial}+abc=&<"'>-${base64url('a secret thing')}`,
  (serial) => `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}`)}`,
];

test('a secret or a token does not leave the run, however it is sent back', async () => {
  const seen = new Set<string>();
  const traits: Partial<Traits> = {
    ...untimed,
    mint: (serial, current) => {
      const token = MINTS[serial % 2]?.(serial, current) ?? '';
      seen.add(token);
      return token;
    },
    issued: (token) => ({ ...json(200, null), body: `{"token":"${withEscapes(token)}"}` }),
    send: (answer, { form, token, headers }) => {
      for (const value of [form.get('client_secret'), token]) if (value) seen.add(value);
      const said = [...seen, headers.authorization ?? ''].filter(Boolean).flatMap(written);
      const page = said.join('\n').repeat(answer.status === 200 ? 1 : 8);
      const echo = said.filter((one) => /^[\x20-\x7e]+$/.test(one)).map((one, nth) => [`x-echo-${nth}`, one]);
      const { 'content-type': type = '' } = answer.headers ?? {};
      const tells = answer.status !== 200 || !type.includes('json');
      const isData = answer.body?.includes('requests');
      return {
        status: answer.status,
        headers: {
          ...answer.headers,
          ...Object.fromEntries(echo),
          'set-cookie': `t=${encodeURIComponent(said[0] ?? '')}`,
        },
        body: tells
          ? page
          : isData
            ? JSON.stringify({ requests: said, [said[0] ?? '']: 1 })
            : (answer.body ?? ''),
      };
    },
  };
  await using deployment = await startDeployment(traits);
  const run = await verifyHere(deployment.env);
  expect(run.report, run.stdout).toMatchObject({ problems: [] });
  const left = seenIn(run);
  for (const value of [deployment.traits.clientSecret, ...deployment.tokens])
    for (const form of written(value))
      expect.soft(left.includes(form), `${form} was left behind`).toBe(false);
  expect(left).toContain('‹client secret›');
  expect(left).toContain('‹token 1›');
});

test('a secret from a file and tokens written with escapes do not leave the run', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    mint: (serial) => `token/${serial}/abcdef`,
    issued: (token) => ({ ...json(200, null), body: `{"token":"${withEscapes(token)}"}` }),
  });
  const { MRS_CLIENT_SECRET: secret = '', ...env } = deployment.env;
  const file = join(newDirectory(), 'secret');
  writeFileSync(file, `${secret}\n`);
  const run = await verify(env, ['--client-secret-file', file]);
  expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
  expect(seenIn(run).includes('abcdef'), 'a token was left behind').toBe(false);
  expect(seenIn(run).includes(secret), 'the secret was left behind').toBe(false);
});

/** JSON may write a slash so (RFC 8259 section 7). */
const withEscapes = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/');

/** `value` in the ways in which a deployment may write it. */
function written(value: string): string[] {
  const percent = encodeURIComponent(value);
  return [
    value,
    percent,
    percent.replace(/%../g, (hex) => hex.toLowerCase()),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    withEscapes(value),
    value.replace(
      /[&<>"']/g,
      (one) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[one]};`,
    ),
    Buffer.from(value).toString('base64'),
    base64url(value),
  ];
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');
