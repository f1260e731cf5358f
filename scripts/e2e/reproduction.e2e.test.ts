/** The commands of a report, pasted into bash as they are printed, show the failure again. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { textOf } from '../../tests/report/testing/outline.ts';
import { all, parse } from '../../tests/report/testing/xml.ts';
import { startMock } from '../index.ts';
import { verifyHere } from './testing/verify-run.ts';

const SECRET = 'k9-Zq-secret-of-this-test';

const OK = /^HTTP\/1\.1 200 /m;
const TOKEN = /"token": *"[^"]+"/;
const DATA = /"ods_data"/;

/** By defect: for each requirement that fails, what the answers must show. */
const DEFECTS: Record<string, Record<string, RegExp[]>> = {
  'data-without-token': { 'MRS-1.3': [OK, DATA] },
  'every-third-missing-token': { 'MRS-1.3': [/^200$|^HTTP\/1\.1 200 /m, /^401$/m] },
  'any-token': { 'MRS-5.5a': [OK, DATA], 'MRS-5.5b': [OK, DATA] },
  'token-suffix-only': { 'MRS-5.5b': [OK, DATA] },
  'token-case-insensitive': { 'MRS-5.5b': [OK, DATA] },
  'token-works-twice': { 'MRS-5.3b': [/^200\n200$/m, /^HTTP\/1\.1 401 /m] },
  'any-client-secret': { 'MRS-4.1i': [OK, TOKEN], 'MRS-4.1j': [OK, TOKEN] },
  'any-grant-type': { 'MRS-4.1f': [OK, TOKEN] },
  'token-with-expires-in': { 'MRS-4.1l': [OK, /"expires_in"/] },
  'wants-basic-authentication': { 'MRS-4.1a': [/^HTTP\/1\.1 401 /m], 'MRS-4.1b': [/^HTTP\/1\.1 401 /m] },
  'never-expires': { 'MRS-5.6a': [OK, DATA], 'MRS-7a': [OK, DATA] },
  'expired-401': { 'MRS-7a': [/^200$/m, /^HTTP\/1\.1 401 /m] },
  'expired-once-403-then-401': { 'MRS-7a': [/^403$/m, /^HTTP\/1\.1 401 /m] },
  'no-renewal': { 'MRS-4.1m': [/^403$/m, /^HTTP\/1\.1 401 /m], 'MRS-5.6b': [/^403$/m, /^HTTP\/1\.1 401 /m] },
};

for (const [defect, expected] of Object.entries(DEFECTS))
  test(`commands for the defect ${defect} show each failure, in every format`, async () => {
    const options = { defect, tokenLifetime: 1, clients: { demo: { secret: SECRET } } };
    const mock = await startMock(options);
    const run = await verifyHere({
      MRS_BASE_URL: mock.url,
      MRS_CLIENT_ID: 'demo',
      MRS_CLIENT_SECRET: SECRET,
      MRS_TOKEN_LIFETIME: '1',
    });
    await mock.close();
    const failed = run.report?.requirements.filter(({ verdict }) => verdict === 'failed') ?? [];
    expect(failed.map(({ id }) => id)).toEqual(Object.keys(expected));
    const read = (name: string) => readFileSync(join(run.directory, name), 'utf8');
    const [page, junit] = [textOf(read('report.html')), parse(read('junit.xml'))];
    for (const { id, evidence } of failed) {
      // What a mock remembers of the run could hide the failure, or make it.
      await using _ = await startMock({ ...options, port: Number(new URL(mock.url).port) });
      const commands = evidence.reproduction ?? '';
      expect(commands, id).not.toContain(SECRET);
      expect(run.stdout, id).toContain(`\n${commands}\n`);
      expect(page, id).toContain(commands);
      expect(read('summary.md'), id).toContain(`\`\`\`sh\n${commands}\n\`\`\``);
      expect(all(junit, 'failure').some(({ text }) => text.includes(commands))).toBe(true);
      const output = await inBash(commands);
      for (const seen of expected[id] ?? []) expect(output, `${id}\n${commands}`).toMatch(seen);
    }
  });

/** What the commands print, in a shell that knows only the secret. */
async function inBash(commands: string): Promise<string> {
  const env = { PATH: process.env.PATH, MRS_CLIENT_SECRET: SECRET };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', commands], { env });
  expect(stderr).not.toMatch(/command not found|syntax error|unbound/);
  return stdout.replaceAll('\r', '');
}
