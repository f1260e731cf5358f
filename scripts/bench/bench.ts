/**
 * `npm run bench`: each command next to the least that Node.js does, by the processor time that they use, which other programs
 * do not change much.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const mrs = fileURLToPath(new URL('../mrs.js', import.meta.url));
const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

const ROUNDS = 7;
const READS = 2000;

/** What the environment says to this program is not meant for those that it measures. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
);
const moduleOf = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
/** Writes processor time in microseconds to descriptor 3 when the process ends. */
const AT_END = moduleOf(`
import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, String(userCPUTime + systemCPUTime));
});`);
/** Reports processor time whenever it is asked, and ends the process with whoever started it. */
const ON_REQUEST = moduleOf(`
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.once('disconnect', () => process.exit());`);

/** Of a program from its start to its end. Throws if it ends with another exit code. */
function usageOfProgram(args: string[], exitCode = 0): number {
  const { output, status } = spawnSync(process.execPath, [...AT_END, ...args], {
    ...{ cwd: root, env, encoding: 'utf8' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  if (status !== exitCode) throw new Error(`${args.join(' ')} ended with exit code ${status}.`);
  return Number(output[3]);
}

/** Of a mock that listens and has answered so many reads. Throws where a read does not succeed. */
async function usageOfMock(reads: number): Promise<number> {
  const args = [...ON_REQUEST, mrs, 'mock', '--records', '0', '--port', '0', '--log', 'json'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const lines = createInterface(child.stdout as NodeJS.ReadableStream);
  const closed = once(child, 'close');
  try {
    const [ready] = await Promise.race([once(lines, 'line'), closed.then(() => ['{}'])]);
    const { url } = JSON.parse(ready);
    if (url === undefined) throw new Error('The mock ended, and never listened.');
    lines.resume();
    if (reads > 0) await read(url, reads);
    const reply = once(child, 'message');
    child.send('usage');
    return (await reply)[0];
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
}

async function read(url: string, times: number): Promise<void> {
  const accept = 'application/json';
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' },
  });
  const issued = await fetch(`${url}/token/`, { method: 'POST', headers: { accept }, body });
  const { token } = (await issued.json()) as { token: string };
  for (let nth = 0; nth < times; nth++) {
    const answer = await fetch(`${url}/ods_data/`, { headers: { accept, authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`A read was answered with ${answer.status}.`);
  }
}

/** What is measured, the bound of its ratio to `node -e 0`, and how. */
const rowsIn = (folder: string): [what: string, bound: number, () => number | Promise<number>][] => {
  const usual = ['--quiet', '--report-dir', join(folder, 'reports')];
  const feed = ['feed', 'tests/feed/examples/ods.json', '--at', '2030-01-01', ...usual];
  return [
    ['mrs --version', 2.5, () => usageOfProgram([mrs, '--version'])],
    ['mrs --help', 2.5, () => usageOfProgram([mrs, '--help'])],
    ['mrs verfy, a typo', 2.5, () => usageOfProgram([mrs, 'verfy'], 2)],
    ['mrs feed, one record', 5, () => usageOfProgram([mrs, ...feed], 1)],
    ['mrs verify of its mock', 18, () => usageOfProgram([mrs, 'verify', '--mock', ...usual])],
    ['mrs mock, ready', 8, () => usageOfMock(0)],
    [`mrs mock, ${READS} reads`, 25, () => usageOfMock(READS)],
  ];
};

/** Prints the median of the ratios; the exit code is 1 where one exceeds its bound. */
async function bench(folder: string): Promise<void> {
  const rows = rowsIn(folder);
  const ratios: number[][] = rows.map(() => []);
  // Each has its turn in every round, so that a ratio within a round is of the same machine.
  for (let round = 1; round <= ROUNDS; round++) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2Kround ${round} of ${ROUNDS}\r`);
    const least = usageOfProgram(['-e', '0']);
    for (const [at, [, , usage]] of rows.entries()) ratios[at]?.push((await usage()) / least);
  }
  console.log('    median  goal     least to most   what');
  for (const [at, [what, bound]] of rows.entries()) {
    const sorted = (ratios[at] ?? []).toSorted((a, b) => a - b).map((ratio) => ratio.toPrecision(3));
    const median = sorted[Math.floor(ROUNDS / 2)] ?? '';
    const isMet = Number(median) <= bound;
    const range = `${sorted[0]} to ${sorted.at(-1)}`;
    console.log(
      `${isMet ? '✓' : '✗'} ${median.padStart(8)}  ${`≤ ${bound}`.padEnd(9)}${range.padEnd(16)}${what} : node -e 0`,
    );
    if (!isMet) process.exitCode = 1;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
await bench(folder)
  .catch((error: Error) => {
    console.error(`It could not be measured: ${error.message}`);
    process.exitCode = 2;
  })
  .finally(() => rmSync(folder, { recursive: true }));
