/** No secret leaves a run of `mrs verify`, and none sways its verdict. */
import { expect, test } from '@playwright/test';
import { json, startDeployment, type Traits } from './testing/deployment.ts';
import { judge, seenIn, verify } from './testing/verify-run.ts';

for (const clientSecret of ['1', 'json', 'object'])
  test(`the verdict does not hang on the secret being ${clientSecret}`, async () => {
    const run = await judge({ clientSecret });
    expect(run).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const ids = run.report?.exchanges.map(({ id }) => id) ?? [];
    expect(ids).toEqual(ids.map((_, at) => `x${at + 1}`));
  });

const mints: Record<string, Traits['mint']> = {
  'marks of every syntax': (serial) => `tok/${serial}+abc=&<"'>-${base64url('a secret thing')}`,
  'a JWT': (serial) =>
    `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}`)}`,
};

for (const [what, mint] of Object.entries(mints))
  test(`neither the secret nor a token leaves the run, however they are sent back: ${what}`, async () => {
    const seen = new Set<string>();
    const traits: Partial<Traits> = {
      mint: (serial, current) => {
        const token = mint(serial, current);
        seen.add(token);
        return token;
      },
      send: (answer, { form, token, headers }) => {
        for (const value of [form.get('client_secret'), token]) if (value) seen.add(value);
        const said = [...seen, headers.authorization ?? ''].filter(Boolean).flatMap(written);
        const page = said.join('\n').repeat(answer.status === 200 ? 1 : 40);
        const echo = said
          .filter((one) => /^[\x20-\x7e]+$/.test(one))
          .map((one, nth) => [`x-echo-${nth}`, one]);
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
    const run = await verify(deployment.env);
    expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const left = seenIn(run);
    for (const value of [deployment.traits.clientSecret, ...deployment.tokens])
      for (const form of written(value))
        expect.soft(left.includes(form), `${form} was left behind`).toBe(false);
    expect(left).toContain('‹client secret›');
    expect(left).toContain('‹token 1›');
  });

test('a token that its answer writes with escapes does not leave the run', async () => {
  await using deployment = await startDeployment({
    mint: (serial) => `token/${serial}/abcdef`,
    issued: (token) => ({ ...json(200, null), body: `{"token":"${token.replaceAll('/', '\\/')}"}` }),
  });
  const run = await verify(deployment.env);
  expect(run.code, run.stdout).toBe(0);
  expect(seenIn(run).includes('abcdef'), 'a token was left behind').toBe(false);
});

/** `value` in the ways in which a deployment may write it. */
function written(value: string): string[] {
  const percent = encodeURIComponent(value);
  return [
    value,
    percent,
    percent.replace(/%../g, (hex) => hex.toLowerCase()),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    value.replace(
      /[&<>"']/g,
      (one) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[one]};`,
    ),
    Buffer.from(value).toString('base64'),
    base64url(value),
  ];
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');
