/** The programs that the documentation shows: each reads, reuses its token, and is not put out by trouble. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { type Entry, type Mock, type MockClient, startMock } from '../../mocks/index.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const inNode = (name: string) => [process.execPath, at(`dist/tests/clients/${name}.js`)];
const programs = {
  'reactive.ts': { command: inNode('reactive'), renews: 'reactive' },
  'proactive.ts': { command: inNode('proactive'), renews: 'proactive' },
  'run.ts': { command: [...inNode('run'), 'reactive'], renews: 'reactive' },
  'reader.py': { command: ['python3', at('tests/clients/reader.py')], renews: 'reactive' },
  'reader.sh': { command: ['sh', at('tests/clients/reader.sh')], renews: 'reactive' },
} as const;

// What a form, a shell and a configuration of curl could each take for something else.
const SECRET = 's3&cr=t "\\$HOME\' +%41';

const there = (program: string) => spawnSync(program, ['--version']).status === 0;

test.describe.configure({ timeout: 60_000 });

for (const [name, { command, renews }] of Object.entries(programs)) {
  test.describe(name, () => {
    const needed = name.endsWith('.py') ? 'python3' : name.endsWith('.sh') ? 'curl' : undefined;
    test.skip(needed !== undefined && !there(needed), `${needed} is not installed`);

    test('reads with one token', async () => {
      await using run = await start(command, {});
      await run.until((entries) => data(entries).length === 8);
      expect(tokens(run.entries())).toHaveLength(1);
      expect(run.entries().filter(({ status }) => status !== 200)).toEqual([]);
      for (const { request } of run.entries()) expect(request.accept).toBe('application/json');
      expect(tokens(run.entries())[0]?.request).toMatchObject({
        contentType: 'application/x-www-form-urlencoded',
        fields: ['grant_type', 'client_id', 'client_secret'],
      });
    });

    if (renews === 'reactive')
      test('renews when it is refused, once, and makes the refused call again', async () => {
        await using run = await start(command, {});
        await run.until((entries) => data(entries).length === 2);
        run.mock.client('acme').expire();
        await run.until((entries) => data(entries).length === 6);
        const from = run.entries().findIndex(({ status }) => status === 403);
        const after = run.entries().slice(from, from + 4);
        expect(after.map(({ status, token }) => [status, token?.name])).toEqual([
          ...[
            [403, 'acme#1'],
            [200, 'acme#2'],
            [200, 'acme#2'],
            [200, 'acme#2'],
          ],
        ]);
        expect(tokens(run.entries())).toHaveLength(2);
      });
    else
      test('renews before its token expires, and by its clock alone', async () => {
        await using run = await start(command, { tokenLifetime: 2 });
        await run.until((entries) => tokens(entries).length === 2);
        expect(run.entries().filter(({ status }) => status !== 200)).toEqual([]);
        run.mock.client('acme').expire();
        await run.until((entries) => tokens(entries).length === 3 && data(entries).at(-1)?.status === 200);
        const asked = tokens(run.entries()).map(({ at }) => Date.parse(at));
        for (const n of [1, 2]) {
          const held = (asked[n] ?? 0) - (asked[n - 1] ?? 0);
          expect(held, `token ${n}`).toBeGreaterThanOrEqual(1550);
        }
      });

    test('waits longer each time for a token endpoint that is down', async () => {
      const script = [...ending(2), onToken({ from: 2, times: 2, do: { answer: { status: 503 } } })];
      await using run = await start(command, { script, tokenLifetime: 2 });
      await run.until((entries) => tokens(entries).length === 4 && data(entries).at(-1)?.status === 200);
      const asked = tokens(run.entries()).map(({ at }) => Date.parse(at));
      const [first = 0, second = 0] = [between(asked, 1), between(asked, 2)];
      expect(first).toBeGreaterThan(400);
      expect(second).toBeGreaterThan(1.5 * first);
    });

    test('waits for as long as Retry-After says', async () => {
      const answer = { status: 429, headers: { 'retry-after': '2' } };
      await using run = await start(command, { script: [onToken({ nth: 1, do: { answer } })] });
      await run.until((entries) => data(entries).length === 1);
      const asked = tokens(run.entries()).map(({ at }) => Date.parse(at));
      expect(between(asked, 0)).toBeGreaterThanOrEqual(1990);
    });

    test('goes on after a connection that was reset, and a 403 without a body', async () => {
      const empty = { expire: 'token', answer: { status: 403, body: '' } } as const;
      const script = [
        { nth: 2, do: { reset: true } },
        { nth: 4, outsideContract: true, do: empty },
      ] as const;
      await using run = await start(command, { script, tokenLifetime: 3 });
      await run.until((entries) => data(entries).filter(({ status }) => status === 200).length === 5);
      expect(tokens(run.entries())).toHaveLength(2);
    });

    test('asks less and less where every call is refused', async () => {
      await using run = await start(command, { script: [{ from: 2, do: { answer: { status: 403 } } }] });
      await new Promise((resolve) => setTimeout(resolve, 5000));
      expect(data(run.entries()).length).toBeGreaterThan(3);
      expect(data(run.entries()).length).toBeLessThan(14);
      expect(tokens(run.entries()).length).toBeLessThan(8);
    });
  });
}

for (const name of ['reactive.ts', 'proactive.ts'] as const)
  test(`${name}: readers share a token request`, async () => {
    const script = [onToken({ do: { delay: '300ms' } })];
    const { command } = programs[name];
    await using run = await start(command, { script, tokenLifetime: 2 }, { MRS_READERS: '5' });
    await run.until(
      (entries) => tokens(entries).length === 3 && data(entries).at(-1)?.token?.name === 'acme#3',
    );
    expect(tokens(run.entries())).toHaveLength(3);
  });

test('reader.sh takes the secret from a file, and neither it nor the token is an argument', async () => {
  test.skip(!there('curl') || process.platform !== 'linux', 'curl or /proc is not there');
  const file = test.info().outputPath('secret');
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  const variables = { MRS_CLIENT_SECRET: '', MRS_CLIENT_SECRET_FILE: file };
  const script = [onToken({ do: { delay: '1s' } }), { from: 1, do: { delay: '1s' } }];
  await using run = await start(programs['reader.sh'].command, { script }, variables);
  const seen = new Set<string>();
  while (data(run.entries()).length === 0) {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'args']);
    for (const line of stdout.split('\n')) if (line.includes(run.mock.url)) seen.add(line);
  }
  expect([...seen].join('\n')).toContain('/token/');
  expect([...seen].join('\n')).toContain('/ods_data/');
  expect([...seen].join('\n')).not.toMatch(/s3&cr|Bearer \S/);
});

interface Run extends AsyncDisposable {
  mock: Mock;
  entries(): Entry[];
  /** Rejects when the client has ended, or takes too long. */
  until(isSeen: (entries: Entry[]) => boolean): Promise<void>;
}

/** A client that runs until it is disposed of; it must not have printed its secret then. */
async function start(
  [program = '', ...args]: readonly string[],
  terms: Partial<MockClient>,
  variables: Record<string, string> = {},
): Promise<Run> {
  const mock = await startMock({ clients: [{ id: 'acme', secret: SECRET, ...terms }] });
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      MRS_BASE_URL: mock.url,
      MRS_CLIENT_ID: 'acme',
      MRS_CLIENT_SECRET: SECRET,
      MRS_TOKEN_LIFETIME: String(terms.tokenLifetime ?? 900),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const entries = () => mock.journal();
  return {
    mock,
    entries,
    until: (isSeen) =>
      expect
        .poll(() => hasEnded(child) || isSeen(entries()), { timeout: 20_000, intervals: [20] })
        .toBe(true)
        .then(() => expect(hasEnded(child), 'the client has ended').toBe(false)),
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child)) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await mock.close();
      expect((await printed).join('')).not.toContain(SECRET);
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
const tokens = (entries: Entry[]) => entries.filter(({ operation }) => operation === 'obtainToken');
const data = (entries: Entry[]) => entries.filter(({ operation }) => operation === 'readData');
const between = (moments: number[], n: number) => (moments[n + 1] ?? 0) - (moments[n] ?? 0);

type Step = NonNullable<MockClient['script']>[number];
const ending = (nth: number): Step[] => [{ nth, when: 'after', do: { expire: 'token' } }];
const onToken = (step: Step): Step => ({ on: 'obtainToken', outsideContract: true, ...step });
