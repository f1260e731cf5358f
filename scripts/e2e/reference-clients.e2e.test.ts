/** The programs that the documentation shows are certified, with the strategy that it says they have. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../tests/client/certificate.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { examine } from '../certify/examine.ts';
import { startProcessReaper } from '../certify/process-reaper.ts';
import { programClient } from '../certify/program.ts';
import { scenarios } from '../certify/scenario-catalogue.ts';
import { type Mock, type MockClient, startMock } from '../index.ts';

interface Program {
  command: readonly string[];
  strategy: Certificate['strategy'];
  /** Rules of good practice that it does not keep. */
  warns?: readonly string[];
  /** What has to be installed. */
  needs?: string;
  /** All, where none is named. */
  scenarios?: readonly string[];
}

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const inNode = (name: string) => [process.execPath, at(`dist/tests/client/corpus/${name}.js`)];
const five = ['env', 'MRS_READERS=5'];
const proactive = { strategy: 'proactive', warns: ['early-end'] } as const;
const programs: Record<string, Program> = {
  'reactive.ts': { command: inNode('reactive'), strategy: 'reactive' },
  'proactive.ts': { command: inNode('proactive'), ...proactive },
  'reader.py': {
    command: ['python3', at('tests/client/corpus/reader.py')],
    strategy: 'reactive',
    needs: 'python3',
  },
  'reader.sh': { command: ['sh', at('tests/client/corpus/reader.sh')], strategy: 'reactive', needs: 'curl' },
  'reactive.ts with five readers': {
    ...{ command: [...five, ...inNode('reactive')], strategy: 'reactive' },
    scenarios: ['expires', 'parallel', 'token-down'],
  },
  'proactive.ts with five readers': {
    ...{ command: [...five, ...inNode('proactive')], ...proactive, warns: [] },
    scenarios: ['expires-again', 'token-down', 'token-slow'],
  },
};

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const missing = ['python3', 'curl'].filter((program) => !isThere(program));
const runnable = Object.entries(programs).filter(([, { needs = '' }]) => !missing.includes(needs));

test.describe.configure({ timeout: 60_000 });

const certificates = new Map<string, Certificate>();

test.beforeAll(async () => {
  test.setTimeout(60_000); // What is configured above does not hold for this.
  const scratch = test.info().outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  const reaper = startProcessReaper(test.info().outputPath('scratch'));
  await Promise.all(
    runnable.map(async ([name, program]) => {
      const chosen = scenarios.filter((one) => program.scenarios?.includes(one.name) ?? true);
      const start = programClient(program.command, {}, reaper);
      certificates.set(name, certificateOf(await examine({ start, scratch, scenarios: chosen })));
    }),
  );
  reaper.close();
});

for (const [name, { strategy, warns = [], needs = '', scenarios: some }] of Object.entries(programs))
  test(`${name} is certified, and renews as it says`, () => {
    test.skip(missing.includes(needs), `${needs} is not installed`);
    const certificate = certificates.get(name);
    const found = certificate?.rules.filter(({ findings }) => findings.length > 0) ?? [];
    const told = found.map(({ id, findings }) => `${id}: in ${findings[0]?.scenario}: ${findings[0]?.seen}`);
    expect(
      found.map(({ id }) => id),
      told.join('\n'),
    ).toEqual(warns);
    expect(certificate?.scenarios.map((one) => `${one.name} ${one.state}`)).toEqual(
      (some ?? scenarios.map((one) => one.name)).map((one) => `${one} seen`),
    );
    expect(certificate?.strategy).toBe(strategy);
    if (!some) expect(certificate?.outcome).toBe('conformant');
  });

// What a form, a shell and a configuration of curl could each take for something else.
const SECRET = 's3&cr=t "\\$HOME\' +%41';

for (const [name, { command, needs = '' }] of Object.entries(programs).slice(0, 4))
  test(`${name} sends a secret of odd characters as it is`, async () => {
    test.skip(missing.includes(needs), `${needs} is not installed`);
    await using mock = await startMock({ clients: [{ id: 'acme', secret: SECRET }] });
    const client = start(command, mock, { MRS_CLIENT_SECRET: SECRET });
    const served = await firstRead(mock);
    client.kill();
    expect(served).toBe(200);
  });

test('reader.sh takes the secret from a file, and neither it nor the token is an argument', async () => {
  test.skip(missing.includes('curl') || process.platform !== 'linux', 'curl or /proc is not there');
  const file = test.info().outputPath('secret');
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  const slow = { delay: '300ms' } as const; // so that curl is seen
  const script: MockClient['script'] = [{ on: 'obtainToken', do: slow }, { do: slow }];
  await using mock = await startMock({ clients: [{ id: 'acme', secret: SECRET, script }] });
  const client = start(programs['reader.sh']?.command ?? [], mock, { MRS_CLIENT_SECRET_FILE: file });
  const seen = new Set<string>();
  while (mock.journal({ operation: 'readData' }).length === 0) {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'args']);
    for (const line of stdout.split('\n')) if (line.includes(mock.url)) seen.add(line);
  }
  client.kill();
  await once(client, 'exit');
  expect([...seen].join('\n')).toContain('/token/');
  expect([...seen].join('\n')).toContain('/ods_data/');
  expect([...seen].join('\n')).not.toMatch(/s3&cr|Bearer \S/);
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
