import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { HOSTILE } from '../../tests/report/testing/hostile.ts';
import { parse } from '../../tests/report/testing/xml.ts';
import { type Answer, json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { expectNowhere, newFolder } from './testing/mrs.ts';
import { failedIn, itemIn, judge, judgeAll, verify } from './testing/verify-run.ts';

// Other data without measure is in http.test.ts and api.test.ts.
test('data without an end leaves the run incomplete, and nothing is held against the deployment', async () => {
  function* endlessly(): Generator<string> {
    for (;;) yield '[1234567,'.repeat(1000);
  }
  const data = (): Answer => ({ ...json(200, null), stream: Readable.from(endlessly()) });
  const [report] = await judgeAll([{ traits: { data }, env: { MRS_TIMEOUT: '500ms' } }]);
  expect(report).toMatchObject({ outcome: 'incomplete', problems: [] });
  expect(failedIn(report)).toEqual([]);
  expect(itemIn(report, 'MRS-4.1a')).toMatchObject({ verdict: 'passed' });
});

test('redirects, to itself or elsewhere, take neither credentials nor tokens along', async () => {
  await using other = await startDeployment();
  const away = `${other.url}/token/`;
  const of = (status: number, location: string) => () => ({ status, headers: { location } });
  const reports = await judgeAll([
    { traits: { refusedForm: of(302, '/token/') } },
    { traits: { refusedForm: of(308, away) } },
    { traits: { send: of(308, away) } },
  ]);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['conformant', 'conformant', 'incomplete']);
  expect(other.calls).toEqual([]);
});

test('the verdict does not depend on the secret being a word of the report', async () => {
  const { code, report } = await judge({ clientSecret: 'json' });
  expect([code, report?.outcome]).toEqual([0, 'conformant']);
  const ids = report?.exchanges.map(({ id }) => id) ?? [];
  expect(ids).toEqual(ids.map((_, at) => `x${at + 1}`));
});

test('text that a deployment sends comes alive in no terminal and no report', async () => {
  const said = Object.values(HOSTILE).map((one) => one.toWellFormed());
  const { files, ...run } = await judge({
    data: () => json(200, { [said.join()]: said }),
    refusedForm: () => ({ status: 200, headers: { 'content-type': `x/"><b>` }, body: said.join('\n') }),
    opens: () => true,
    health: () => json(500, said),
  });
  expect([run.code, run.report?.problems, failedIn(run.report).length > 2]).toEqual([1, [], true]);
  for (const [name, text] of Object.entries({ ...files, ...run }))
    expect(text, name).not.toEqual(expect.stringMatching(/(?![\n\t])[\p{Cc}\p{Cf}]/u));
  const [page = '', junit = ''] = ['report.html', 'junit.xml'].map((name) => files[`reports/verify/${name}`]);
  expect(page).toContain('&lt;script&gt;document.title');
  // Of its own, the page has the data of the report, and the styles.
  const markup = page.replace(/<(script|style)\b[^>]*type="application[^>]*>.*?<\/\1>/gs, '');
  expect(markup).not.toMatch(/<script>document|<img src=x|<b>x/);
  expect(() => parse(junit)).not.toThrow();
});

test('a secret from a file or a token does not leave the run, however it is sent back', async () => {
  const seen = new Set<string>();
  const mint = (serial: number) => {
    const signed = `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}`)}`;
    return serial % 2 ? signed : `tok/${serial}+abc=&<"'>-${base64url('a secret thing')}`;
  };
  const traits: Partial<Traits> = {
    ...{ ...untimed, mint },
    issued(token) {
      seen.add(token);
      return { ...json(200, null), body: `{"token":"${withEscapes(token)}"}` };
    },
    send(answer, { form, token, headers }) {
      for (const value of [form.get('client_secret'), token]) if (value) seen.add(value);
      const said = [...seen, headers.authorization ?? ''].filter(Boolean).flatMap(written);
      const page = said.join('\n').repeat(answer.status === 200 ? 1 : 8);
      const echo = said.filter((one) => /^[\x20-\x7e]+$/.test(one)).map((one, nth) => [`x-echo-${nth}`, one]);
      const isJson = answer.status === 200 && answer.headers?.['content-type']?.includes('json');
      const isData = answer.body?.includes('requests');
      const body = isData ? JSON.stringify({ requests: said, [said[0] ?? '']: 1 }) : answer.body;
      const cookie = { 'set-cookie': `t=${encodeURIComponent(said[0] ?? '')}` };
      return {
        status: answer.status,
        headers: { ...answer.headers, ...Object.fromEntries(echo), ...cookie },
        body: (isJson && body) || page,
      };
    },
  };
  await using deployment = await startDeployment(traits);
  const { MRS_CLIENT_SECRET = '', ...env } = deployment.env;
  const file = join(newFolder(), 'secret');
  writeFileSync(file, MRS_CLIENT_SECRET);
  const run = await verify({ ...env, MRS_CLIENT_SECRET_FILE: file });
  expect(run.report, run.stdout).toMatchObject({ problems: [] });
  expectNowhere(run, [deployment.traits.clientSecret, ...deployment.tokens].flatMap(written));
  const left = Object.values(run.files).join('\n');
  expect(left).toContain('‹client secret›');
  expect(left).toContain('‹token 1›');
});

/** JSON may write a slash so (RFC 8259 section 7). */
const withEscapes = (value: string): string => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/');

const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** `value` in the ways in which a deployment may write it. */
function written(value: string): string[] {
  const percent = encodeURIComponent(value);
  return [
    ...[value, percent, percent.replace(/%../g, (hex) => hex.toLowerCase())],
    new URLSearchParams([['', value]]).toString().slice(1),
    ...[JSON.stringify(value).slice(1, -1), withEscapes(value)],
    value.replace(/[&<>"']/g, (one) => `&${ENTITIES[one]};`),
    ...[Buffer.from(value).toString('base64'), base64url(value)],
  ];
}

const base64url = (value: string) => Buffer.from(value).toString('base64url');
