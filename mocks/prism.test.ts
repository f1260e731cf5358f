import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { answers } from './contract/answers.ts';
import { loadContract } from './contract/contract.ts';
import { engineFor, type Negotiated } from './prism.ts';

const engine = () => engineFor(loadContract());

for (const [name, answer] of Object.entries(answers))
  test(`the answer ${name} comes from the contract, whole`, async () => {
    const { status, headers, body, bytes } = (await engine()).negotiated.get(answer) as Negotiated;
    expect(status).toBe(answer.status);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': `${bytes.length}`,
    });
    expect(JSON.parse(bytes.toString())).toEqual(body);
    expect(JSON.stringify(loadContract().document)).toContain(bytes.toString());
  });

test('an answer that Prism negotiates with another status than the asked one stops the mock', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document to be spoilt
  const document = structuredClone(loadContract().document) as any;
  const { 200: served, 401: refused } = document.paths['/ods_data/'].get.responses;
  const examples = (response: typeof served) => response.content['application/json'].examples;
  // Prism does not find the example under 401, so it looks for it under the success.
  examples(served)['missing-token'] = examples(refused)['missing-token'];
  delete examples(refused)['missing-token'];
  await expect(engineFor({ ...loadContract(), document })).rejects.toThrow(
    "readData 401 missing-token: the contract's answer has status 200.",
  );
});

for (const [accept, accepted] of [
  [undefined, true],
  ['application/json', true],
  ['*/*', true],
  ['text/html, application/*;q=0.1', true],
  ['text/html', false],
  ['application/json;q=0', false],
  ['*/*;q=0', false],
  ['garbage', false],
] as const)
  test(`accept: ${accept} ${accepted ? 'has' : 'leaves out'} JSON, whatever was asked before`, async () => {
    const { accepts } = await engine();
    for (const id of ['readData', 'checkHealth', 'obtainToken', 'readData'] as const)
      expect(await accepts(id, accept)).toBe(accepted);
    expect(await accepts('readData', 'text/html')).toBe(false);
  });

/** A process of its own: counts what is loaded and compiled, from the start of a mock to its end. */
const COUNTING = `
  import Module from 'node:module';
  let count = 0;
  const { _load: load } = Module;
  Module._load = (...all) => (count++, Reflect.apply(load, Module, all));
  const counting = (act) => (target, ...all) => (count++, Reflect[act](target, ...all));
  globalThis.Function = new Proxy(Function, { apply: counting('apply'), construct: counting('construct') });
  const { startMock } = await import('mrs-contract');
  const mock = await startMock({ profile: process.argv[1] });
  const counted = async (path, init = {}) => {
    count = 0;
    const answer = await fetch(mock.url + path, init);
    return [count, await answer.text()];
  };
  const accept = 'application/json';
  const client = { client_id: 'demo', client_secret: 'demo-secret' };
  const body = () => new URLSearchParams({ grant_type: 'client_credentials', ...client });
  const wrong = () => new URLSearchParams({ grant_type: 'password', ...client });
  const post = (body) => counted('/token/', { method: 'POST', headers: { accept }, body });
  const round = async () => {
    const [ofHealth] = await counted('/health/', { headers: { accept } });
    const [ofToken, answer] = await post(body());
    const [ofWrong] = await post(wrong());
    const authorization = 'Bearer ' + (answer.startsWith('{"token"') ? JSON.parse(answer).token : 'none');
    const [ofData] = await counted('/ods_data/', { headers: { accept, authorization } });
    return { ofHealth, ofToken, ofWrong, ofData };
  };
  await fetch('data:,'); // Node.js loads its own client now.
  console.log(JSON.stringify([await round(), await round(), await round()]));
  await mock.close();
`;

test('a mock that listens loads and compiles no more for a first request than for a later one', () => {
  const args = ['--input-type=module', '--eval', COUNTING, 'nrao-ods'];
  const [first, second, third] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(first).toEqual(third);
  expect(second).toEqual(third);
});
