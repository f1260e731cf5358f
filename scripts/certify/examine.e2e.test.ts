/** How a client is led through scenarios: what it is given, when it is ended, and what comes of trouble. */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Parts } from '../../tests/client/corpus/client.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import type { End } from '../../tests/client/traffic.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { certify, only, program } from '../e2e/testing/certify-run.ts';
import { type ExamineOptions, examine } from './examine.ts';
import { clientsInProcess } from './process-clock.ts';
import type { ClientVariables, RunningClient } from './program.ts';
import { scenarios } from './scenarios.ts';

/** Clients that do nothing: those that run. */
const running = new Set<string>();
afterEach(() => expect([...running]).toEqual([]));

function idle(name: string, ended: Promise<End> = new Promise(() => {})): RunningClient {
  running.add(name);
  return { ended, stop: async () => void running.delete(name) };
}

/** A client that reads. */
const reader = (variables: ClientVariables, behaviour: Partial<Parts> = {}) =>
  clientsInProcess(behaviour, { pollSeconds: 0.05 })(variables, '', () => {});

/** Plays the scenarios with these names, or all. */
function run(names: string, start: ExamineOptions['start'], more: Partial<ExamineOptions> = {}) {
  const scratch = outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  const chosen = scenarios.filter(({ name }) => names === '' || names.split(' ').includes(name));
  return examine({ scenarios: chosen, scratch, start, ...more });
}

test('each scenario has a mock and credentials of its own, and a file that only its user can read', async () => {
  const handed: ClientVariables[] = [];
  const start: ExamineOptions['start'] = async (variables, name) => {
    handed.push(variables);
    return idle(name);
  };
  await run('steady expires', start, { deadlineSeconds: 0 });
  const [one, other] = handed;
  for (const name of [
    'MRS_BASE_URL',
    'MRS_CLIENT_ID',
    'MRS_CLIENT_SECRET',
    'MRS_CLIENT_SECRET_FILE',
  ] as const)
    expect(one?.[name], name).not.toBe(other?.[name]);
  expect(handed.map(({ MRS_TOKEN_LIFETIME: lifetime }) => lifetime).sort()).toEqual(['3', '900']);
  for (const { MRS_CLIENT_SECRET: secret, MRS_CLIENT_SECRET_FILE: file } of handed) {
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});

test('a client is ended when all has been seen, and its mock with it', async () => {
  let url = '';
  const [played, ...others] = await run('403-empty', async (variables) => {
    url = variables.MRS_BASE_URL;
    return reader(variables);
  });
  expect(others).toEqual([]);
  const traffic = { name: '403-empty', agreedSeconds: 6 };
  expect(played).toMatchObject({ state: 'seen', output: '', traffic });
  expect(played?.traffic.ended).toBeUndefined();
  expect(played?.traffic.calls.filter(({ status }) => status === 403)).toHaveLength(1);
  await expect(fetch(`${url}/health/`)).rejects.toThrow();
});

for (const [what, isCalling, code] of [
  ['calls in one scenario', true, 1],
  ['never calls, and is left to its deadline', false, undefined],
] as const)
  test(`of a client that ${what}, no scenario is left out`, async () => {
    const start: ExamineOptions['start'] = async ({ MRS_BASE_URL }, name) => {
      if (isCalling && name === 'steady') await fetch(`${MRS_BASE_URL}/ods_data/`);
      return idle(name, code === undefined ? undefined : Promise.resolve({ code }));
    };
    const names = ['steady', 'expires', 'parallel', 'data-reset'];
    const played = await run(names.join(' '), start, { atOnce: 1, deadlineSeconds: 0.1 });
    expect(played.map(({ traffic }) => traffic.name)).toEqual(names);
  });

test('where a client cannot be started, those that run are ended at once, and no more are started', async () => {
  const started: string[] = [];
  const start: ExamineOptions['start'] = async (_, name) => {
    started.push(name);
    if (name === 'expires-again') throw new Error('EMFILE');
    return idle(name);
  };
  // Without a deadline, those that run would never end.
  const broken = run('steady expires expires-again parallel', start, {
    atOnce: 3,
    deadlineSeconds: Infinity,
  });
  await expect(broken).rejects.toThrow('EMFILE');
  expect(started.sort()).toEqual(['expires', 'expires-again', 'steady']);
});

test('when it is ended early, what was seen is kept, the rest is not begun, and a wrong client is not certified', async () => {
  const early = new AbortController();
  const start: ExamineOptions['start'] = async ({ MRS_BASE_URL }, name) => {
    await fetch(`${MRS_BASE_URL}/ods_data/`);
    early.abort();
    return idle(name);
  };
  expect(await run('steady expires', start, { atOnce: 1, signal: early.signal })).toMatchObject([
    { state: 'interrupted', traffic: { name: 'steady', calls: [{ kind: 'data' }] } },
  ]);
  const later = new AbortController();
  const readsOn: ExamineOptions['start'] = async (variables, name) => {
    if (name === 'data-reset') later.abort();
    return reader(variables, { refused: async () => true });
  };
  const { outcome, rules } = certificateOf(await run('', readsOn, { signal: later.signal }));
  expect(outcome).toBe('incomplete');
  for (const id of ['retry', 'no-loop'])
    expect(rules.find((rule) => rule.id === id)?.verdict, id).toBe('could-not-run');
});

test('part of a token in a path is in no report', async () => {
  const client = program(`
    const { MRS_BASE_URL: url, MRS_CLIENT_ID: client_id, MRS_CLIENT_SECRET: client_secret } = process.env;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    const answer = await fetch(url + '/token/', { method: 'POST', headers: { accept: 'application/json' }, body });
    await fetch(url + '/' + (await answer.json()).token.slice(0, 20) + '/');
  `);
  const { files, report } = await certify([...only('steady'), '--', ...client]);
  expect(JSON.stringify(report)).toMatch(/ \/‹token client-\w+#1›\//);
  expect(files['report.html']).toMatch(/\/‹token client-\w+#1›\//);
});
