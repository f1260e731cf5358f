/** What each command makes of its arguments, variables and files, and of the mistakes in them. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { asks, harOfCalls } from '../../tests/traffic/testing/har.ts';
import { filesIn, mrs, newFolder, program, run, startMrs } from './testing/mrs.ts';

const example = fileURLToPath(new URL('../../tests/feed/examples/ods.json', import.meta.url));
const rfc6750 = fileURLToPath(import.meta.resolve('mrs-contract/profiles/rfc6750.overlay.yaml'));

/** A folder with what the arguments below name, and with reports of earlier runs. */
function workplace(): string {
  const folder = newFolder();
  for (const name of ['verify', 'feed', 'judge', 'fleet', 'replaced'])
    mkdirSync(join(folder, 'reports', name), { recursive: true });
  const files: Record<string, string> = {
    'reports/verify/report.json': '{}',
    'reports/feed/report.html': 'of an earlier run',
    'reports/fleet/report.json': '{}',
    'one.har': harOfCalls(asks(0, 1)),
    'broken.har': '{"log": {"_mrs": {"format": "mrs-contract evidence"}}}',
    'known.yaml': '[]',
    'there.overlay.yaml': '',
    'fleet.yaml': 'deployments: [{ name: a, feed: ods.json }]\n',
    'unset.yaml':
      'deployments:\n- { name: b, baseUrl: "http://127.0.0.1:9", clientId: x, clientSecret: { env: SECRET_B } }\n',
    'named.yaml':
      'deployments:\n- { name: b, baseUrl: "http://127.0.0.1:9", clientId: x, clientSecret: { env: MRS_CLIENT_SECRET_B } }\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  copyFileSync(example, join(folder, 'ods.json'));
  copyFileSync(example, join(folder, 'reports/replaced/report.html'));
  symlinkSync(join(folder, 'ods.json'), join(folder, 'reports/replaced/report.json'));
  return folder;
}

const CLIENT = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'station', MRS_CLIENT_SECRET: 'hunter2' };
const NOTHING = { MRS_BASE_URL: '', MRS_CLIENT_ID: '', MRS_CLIENT_SECRET: '', MRS_TOKEN_LIFETIME: '' };
const NO_URL = '--base-url (MRS_BASE_URL) is not';
const NO_MOCK = `${NO_URL} set, and CI is set, so that no mock is judged by mistake. Give the URL, or --mock`;
const UNKNOWN = 'is set, and no command has a variable of that name.';

const SECRET_B = { MRS_CLIENT_SECRET_B: 'hunter2' };

/** Arguments, what is said, and the variables. */
const MISTAKES: readonly [args: string, says: string, env?: Record<string, string>][] = [
  ['constructor', "error: unknown command 'constructor'\n"],
  ['verify', '--client-id (MRS_CLIENT_ID) is not set. ', { MRS_BASE_URL: 'http://127.0.0.1:9' }],
  ['verify', '--base-url (MRS_BASE_URL) is set to nothing. ', NOTHING],
  ['verify', `MRS_CLIENT_SECRET is set to nothing, and ${NO_URL} set. `, { MRS_CLIENT_SECRET: '' }],
  [`verify --profile ${rfc6750}`, `a file that describes a deployment, but ${NO_URL} set. `],
  ['verify', NO_MOCK, { CI: 'true' }],
  ['verify --mock', '--mock (MRS_MOCK) cannot be used with --base-url (MRS_BASE_URL). ', CLIENT],
  ['verify', `MRS_BASEURL ${UNKNOWN} The nearest is MRS_BASE_URL. `, { MRS_BASEURL: 'https://hunter2' }],
  ['mock --list-scenarios', `MRS_CLEINT ${UNKNOWN} The nearest is MRS_CLIENT. `, { MRS_CLEINT: 'a:hunter2' }],
  ['fleet run fleet.yaml', `MRS_CLIENT_SECRET_B ${UNKNOWN} The nearest is MRS_CLIENT_SECRET. `, SECRET_B],
  ['verify --client-secret hunter2', 'in the environment, or give --client-secret-file.', CLIENT],
  ['observe --draft-profile My+Draft.overlay.yaml', 'small letters, digits and hyphens', CLIENT],
  ['observe --draft-profile there.overlay.yaml', 'already exists', CLIENT],
  ['feed http://me:hunter2@127.0.0.1/x', 'contains a user name or a password'],
  ['feed http://hunter2+x/', 'is not an http or https URL'],
  ['feed', 'Name a feed'],
  ['feed - --format constructor', '--format is "constructor". Give one of these: text, json.'],
  ['feed ods.json --report-dir ods.json/reports', '(ENOTDIR). Name another directory by --report-dir.'],
  ['feed ods.json --report-dir reports/replaced', 'The reports would replace the feed, ods.json.'],
  ['feed reports/replaced/report.html --report-dir reports/replaced', 'The reports would replace the feed'],
  ['fleet fleet.yaml', 'mrs fleet run fleet.yaml'],
  ['fleet run --only europe', '--only is "europe", which is neither a label nor a name'],
  ['fleet run --shard 3/2', '--shard is "3/2". Write it as 2/5'],
  ['fleet run --shard 1/2 --history h', '--history needs all shards'],
  ['fleet run unset.yaml', 'unset.yaml:2: deployment "b": clientSecret is in the variable SECRET_B, which'],
  ['judge none.har', 'none.har cannot be read (ENOENT). Name a HAR file, or - for standard input.'],
  ['judge one.har --baseline known.yaml', '--baseline (MRS_BASELINE) is for the evidence of mrs verify, '],
  ['judge broken.har', 'broken.har is damaged: '],
  ['proxy', "required option '--target <url>' not specified"],
  ['proxy --target http://mrs.example', '--target is plain http'],
  ['proxy --target https://a.example/api/token/', 'Give its base URL: https://a.example/api.'],
  ['prove --only stampede --only json-bodi', 'The nearest is "json-body".'],
  ['mock --clent=a:hunter2', "unknown option '--clent=…'"],
  ["verify --client-secrt=hun'ter2", "unknown option '--client-secrt=…'"],
  // An empty host would be every address, and an empty seed the same tokens everywhere.
  ['mock --host localhost:4010', 'The option host (--host) is "localhost:4010". Give an address without'],
  ['mock --script none.yaml', 'none.yaml of --script (MRS_SCRIPT) cannot be read (ENOENT). '],
  ['mock --starts-at never', '(--starts-at) is "never"', { MRS_HOST: '', MRS_RECORDS: '', MRS_SEED: '' }],
];

for (const [args, says, env = {}] of MISTAKES)
  test(`mrs ${args}${Object.keys(env).map((name) => ` with ${name}`)} is refused: ${says}`, async () => {
    const cwd = workplace();
    const before = filesIn(cwd);
    const words = args.split(' ').map((word) => word.replaceAll('+', ' '));
    const { code, stdout, stderr, files } = await run(words, { cwd, env });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
    expect(stderr).not.toMatch(/hunter2|^\s+at |node:/m);
    // A report of an earlier run may be gone: it is not the report of this one.
    expect(before).toMatchObject(files);
    for (const name of Object.keys(before).filter((one) => !/^reports\/[^/]+\/[^/]+$/.test(one)))
      expect(files[name], name).toBe(before[name]);
  });

for (const [args, says] of [
  ['verify --base-url http://127.0.0.1:9', '--client-id (MRS_CLIENT_ID) is not set.'],
  ['verify --base-urll', "error: unknown option '--base-urll'"],
] as const)
  test(`GitHub Actions shows at the job, and in its summary, why nothing was judged: ${says}`, async () => {
    const summary = join(newFolder(), 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const { code, stderr } = await run(args.split(' '), { cwd: workplace(), env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`\n::error title=mrs verify::${says}`),
    });
    expect(readFileSync(summary, 'utf8')).toContain(`## ! error: nothing was judged\n\n\`${says}`);
  });

/** What prints a list, or what would be done, and does nothing. */
const LISTS: readonly [args: string, shows: string[]][] = [
  [
    'certify --list',
    ['\nexpires (MRS_TOKEN_LIFETIME 3)\n    the token expires when agreed; tokens have 1,500 characters.\n'],
  ],
  [
    'certify --list --profile static-feed',
    ['\nrec-z-times\n    the feed writes Z after times.\n', '\nnot-modified (RFC 9110 section 15.4.5)\n'],
  ],
  ['verify --dry-run', [', client demo. Nothing was sent.']],
  ['profile list', ['\n  MRS-7e    A request without a token is answered with 401', '30 statements of']],
];

for (const [args, shows] of LISTS)
  test(`mrs ${args} prints in 80 columns and writes nothing`, async () => {
    const { code, stdout, stderr, files } = await run(args.split(' '));
    expect([code, stderr, files]).toEqual([0, '', {}]);
    for (const shown of shows) expect(stdout).toContain(shown);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

/** Variables that are set, and leave nothing open: arguments and the variables. */
const PERMITTED: readonly [args: string, env: Record<string, string>][] = [
  ['verify --dry-run', { CI: '0' }],
  ['verify --dry-run', { CI: 'true', MRS_MOCK: '1' }],
  ['verify --dry-run --header X-Key=env:MRS_GATEWAY_KEY', { ...CLIENT, MRS_GATEWAY_KEY: 'hunter2' }],
  ['verify --dry-run', { ...CLIENT, MRS_HEADER: 'X-Key=env:MRS_CLIENT_KEY', MRS_CLIENT_KEY: 'hunter2' }],
  ['verify --dry-run', { MRS_PORT: '4010', MRS_FEED: 'ods.json', MRS_DATA_URL: 'x', MRS_POLL_INTERVAL: '5' }],
  ['certify --list', { ...CLIENT, MRS_ORBIT: 'low', MRS_HEALTH_PATH: '/up' }],
  // Of a service "mrs" and a service "mrs-mock" of Kubernetes.
  ['mock --list-scenarios', { MRS_SERVICE_HOST: '10.0.0.1', MRS_SERVICE_PORT_HTTP: '80' }],
  ['verify --dry-run', { MRS_MOCK_PORT: 'tcp://10.0.0.1:80', MRS_MOCK_PORT_80_TCP_ADDR: '10.0.0.1' }],
];

for (const [args, env] of PERMITTED)
  test(`mrs ${args} with ${Object.entries(env).map((pair) => pair.join('='))} is not refused`, async () => {
    const { code, stderr } = await run(args.split(' '), { cwd: workplace(), env });
    expect([code, stderr]).toEqual([0, '']);
  });

for (const [version, code, output] of [
  ['20.18.9', 2, 'mrs needs Node.js 20.19 or later, and this is 20.18.9. Install a later one.\n'],
  ['20.19.0', 0, ''],
] as const)
  test(`Node.js ${version} exits with ${code}`, async () => {
    const versions = `{ value: { ...process.versions, node: '${version}' } }`;
    const preload = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`;
    const ended = await mrs(['--version'], {
      env: { NODE_OPTIONS: `--import "${preload.replaceAll('"', '%22')}"` },
    });
    expect(ended).toMatchObject({ code, stderr: output });
  });

test('too few open files for its own modules are one sentence, and code 2', async () => {
  const limited = ['-c', 'ulimit -n 26; exec "$0" "$@"', process.execPath, program, 'mock'];
  const ended = await promisify(execFile)('sh', limited).catch((error) => error);
  expect(ended).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^mrs could not be loaded: (EMFILE|Cannot find (module|package)).+\n$/),
  });
});

/** What `mrs mock` prints that is called twice, one call after the other, and then ended. */
async function mockLines(args: string[], variables: Record<string, string> = {}): Promise<string[]> {
  const { child } = startMrs(['mock', '--port', '0', ...args], { env: variables });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    if (lines.push(line) > 1) continue;
    const url = /http:[^" ]+/.exec(line)?.[0];
    for (const _ of [1, 2]) await (await fetch(`${url}/health/`)).text(); // The first is printed before the second ends.
    child.kill('SIGTERM');
  }
  return lines;
}

test('mock --log json prints where it listens, and then each call, as objects', async () => {
  const [ready, call] = (await mockLines(['--log', 'json'])).map((line) => JSON.parse(line));
  const key = expect.stringMatching(/^[\w-]{32}$/);
  expect(ready).toMatchObject({ event: 'ready', key, pid: expect.any(Number) });
  expect(call).toMatchObject({ event: 'call', path: '/health/', status: 200, reason: 'healthy' });
  const [given] = await mockLines(['--log', 'json'], { MRS_MOCK_CONTROL_KEY: 'a-key-of-mine' });
  expect(given).toContain('"ready"');
  expect(given).not.toContain('a-key-of-mine');
});
