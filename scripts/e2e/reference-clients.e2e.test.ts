/** The programs in the documentation are certified, with the strategy that it names. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { type Certificate, certificateOf } from '../../tests/client/judge.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { examine } from '../certify/examine.ts';
import { programClient, startProcessReaper } from '../certify/program.ts';
import { subjectUnder } from '../certify/scenarios.ts';
import { type Mock, startMock } from '../mock/index.ts';

interface Program {
  command: readonly string[];
  strategy: Certificate['strategy'];
  /** What has to be installed. */
  needs?: string;
  /** All, where none is named. */
  scenarios?: readonly string[];
  /** Of a feed without tokens. */
  profile?: string;
}

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const inNode = (name: string) => [process.execPath, at(`dist/tests/client/corpus/${name}.js`)];
const five = ['env', 'MRS_READERS=5'];
const programs: Record<string, Program> = {
  // The proof examines the same code in all scenarios, in process.
  'reactive.ts': { command: inNode('reactive'), strategy: 'reactive', scenarios: ['odd-secret', 'expires'] },
  'reader.py': {
    command: ['python3', at('tests/client/corpus/reader.py')],
    strategy: 'reactive',
    needs: 'python3',
  },
  'reader.sh': {
    command: ['sh', at('tests/client/corpus/reader.sh')],
    strategy: 'reactive',
    needs: 'curl',
    // It starts a curl for each call.
    scenarios: ['odd-secret', 'expires', '403-empty', 'token-down', 'data-reset'],
  },
  'reactive.ts with five readers': {
    command: [...five, ...inNode('reactive')],
    strategy: 'reactive',
    scenarios: ['expires', 'parallel'], // Only parallel shows that five read at once.
  },
  'feed_reader.py': {
    command: ['python3', at('tests/client/corpus/feed_reader.py')],
    strategy: 'none',
    needs: 'python3',
    profile: 'static-feed',
  },
};

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const missing = ['python3', 'curl'].filter((program) => !isThere(program));
const runnable = Object.entries(programs).filter(([, { needs = '' }]) => !missing.includes(needs));

/** Of each program: the start of a process keeps a processor busy, and the programs run side by side as well. */
const AT_ONCE = 3;
/** Long enough for a busy machine: a scenario ends when all has been seen. */
const DEADLINE_SECONDS = 240;

const certificates = new Map<string, Certificate>();

beforeAll(async () => {
  const scratch = outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  const reaper = startProcessReaper(scratch);
  await Promise.all(
    runnable.map(async ([name, { command, scenarios: some, profile }]) => {
      const { scenarios, catalogue } = await subjectUnder(profile);
      const runs = await examine({
        scenarios: scenarios.filter((one) => some?.includes(one.name) ?? true),
        start: programClient(command, reaper),
        ...{ scratch, atOnce: AT_ONCE, deadlineSeconds: DEADLINE_SECONDS },
        ...(profile !== undefined && { profile }),
      });
      certificates.set(name, certificateOf(runs, catalogue));
    }),
  );
  reaper.close();
});

for (const [name, { strategy, needs = '', scenarios: some, profile }] of Object.entries(programs))
  test(`${name} is certified with its strategy`, async ({ skip }) => {
    skip(missing.includes(needs), `${needs} is not installed`);
    const certificate = certificates.get(name);
    const found = certificate?.rules.flatMap(({ id, findings }) =>
      findings.map(({ scenario, seen }) => `${id}: in ${scenario}: ${seen}`),
    );
    expect(found).toEqual([]);
    const names = some ?? (await subjectUnder(profile)).scenarios.map((one) => one.name);
    expect(certificate?.scenarios.map((one) => `${one.name} ${one.state}`)).toEqual(
      names.map((one) => `${one} seen`),
    );
    expect(certificate?.strategy).toBe(strategy);
    if (!some) expect(certificate?.outcome).toBe('conformant');
  });

// What a form, a shell and a configuration of curl could each take for something else.
const SECRET = 's3&cr=t "\\$HOME\' +%41';

test('reader.sh passes neither the secret nor the token as an argument', async ({ skip }) => {
  skip(missing.includes('curl') || process.platform !== 'linux', 'curl or /proc is missing');
  const file = outputPath('secret');
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  // In place of curl: notes the arguments of all processes, and is curl then.
  const [folder, seen] = [outputPath('bin'), outputPath('seen')];
  const { stdout: curl } = spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' });
  mkdirSync(folder, { recursive: true });
  const noting = `#!/bin/sh\nps -ww -eo args >>'${seen}'\nexec ${curl.trim()} "$@"\n`;
  writeFileSync(join(folder, 'curl'), noting, { mode: 0o755 });
  await using mock = await startMock({ clients: [{ id: 'acme', secret: SECRET }] });
  const read = firstRead(mock);
  const client = start(programs['reader.sh']?.command ?? [], mock, {
    MRS_CLIENT_SECRET_FILE: file,
    PATH: `${folder}:${process.env.PATH}`,
  });
  expect(await read).toBe(200);
  client.kill();
  await once(client, 'exit');
  const lines = readFileSync(seen, 'utf8').split('\n');
  const own = lines.filter((line) => line.includes(mock.url)).join('\n');
  expect(own).toContain('/token/');
  expect(own).toContain('/ods_data/');
  expect(own).not.toMatch(/s3&cr|Bearer \S/);
});

function start([program = '', ...args]: readonly string[], mock: Mock, secret: Record<string, string>) {
  const { PATH } = process.env;
  const terms = { MRS_BASE_URL: mock.url, MRS_CLIENT_ID: 'acme', MRS_TOKEN_LIFETIME: '900' };
  return spawn(program, args, { env: { PATH, ...terms, ...secret }, stdio: 'ignore' });
}

/** Its status, or that of a token request that was refused. */
const firstRead = (mock: Mock): Promise<number> =>
  new Promise((resolve) => {
    mock.onExchange(({ operation, status }) => {
      if (operation === 'readData' || status !== 200) resolve(status);
    });
  });
