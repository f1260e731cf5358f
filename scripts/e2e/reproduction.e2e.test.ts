/** The command of a failure, pasted into bash as it is printed, shows the failure again. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { textOf } from '../../tests/report/testing/outline.ts';
import { all, parse } from '../../tests/report/testing/xml.ts';
import { startMock } from '../mock/index.ts';
import { itemsIn, verify } from './testing/verify-run.ts';

const SECRET = 'k9-Zq-secret-of-this-test';

test('the command of each failure shows the failure, in every format', async () => {
  await using mock = await startMock({
    defect: 'any-token',
    tokenLifetime: 1,
    clients: [{ id: 'demo', secret: SECRET }],
  });
  const env = {
    ...{ MRS_BASE_URL: mock.url, MRS_CLIENT_ID: 'demo', MRS_CLIENT_SECRET: SECRET },
    MRS_TOKEN_LIFETIME: '1',
  };
  const run = await verify(env, ['--commands']);
  const failed = itemsIn(run.report, 'failed');
  expect(failed.map(({ id }) => id)).toEqual(['MRS-5.5a', 'MRS-5.5b']);
  const read = (name: string) => run.files[`reports/verify/${name}`] ?? '';
  const [page, junit] = [textOf(read('report.html')), parse(read('junit.xml'))];
  const token = await tokenOf(mock.url);
  for (const { id, command = '' } of failed) {
    expect(command, id).not.toContain(SECRET);
    expect(run.stdout, id).toContain(`\n${command}\n`);
    expect(page, id).toContain(command);
    expect(read('summary.md'), id).toContain(`\`\`\`sh\n${command}\n\`\`\``);
    expect(all(junit, 'failure').some(({ text }) => text.includes(command))).toBe(true);
    expect(await inBash(command, token), `${id}\n${command}`).toMatch(/^HTTP\/1\.1 200 [\s\S]*"ods_data"/);
  }
});

async function tokenOf(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: SECRET };
  const answer = await fetch(`${url}/token/`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await answer.json()) as { token: string }).token;
}

/** What the command prints, in a shell that knows only the secret and tokens. */
async function inBash(command: string, token?: string): Promise<string> {
  const tokens = token === undefined ? {} : { TOKEN: token, FORGED_TOKEN: `x${token.slice(1)}` };
  const env = { PATH: process.env.PATH, MRS_CLIENT_SECRET: SECRET, ...tokens };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-u', '-c', command], { env });
  expect(stderr).not.toMatch(/command not found|syntax error|unbound/);
  return stdout.replaceAll('\r', '');
}

test('the command of an expired token that is not answered with 403 obtains a token, and waits for its end', async () => {
  await using mock = await startMock({
    defect: 'expired-401',
    tokenLifetime: 1,
    clients: [{ id: 'demo', secret: SECRET }],
  });
  const run = await verify({
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: 'demo',
    MRS_CLIENT_SECRET: SECRET,
    MRS_TOKEN_LIFETIME: '1',
  });
  const [failed] = itemsIn(run.report, 'failed');
  expect(failed?.id).toBe('MRS-7a');
  expect(await inBash(failed?.command ?? '')).toMatch(/^HTTP\/1\.1 401 /);
});
