import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { answers } from './contract/answers.ts';
import { loadContract, readContract } from './contract/contract.ts';
import { engineFor, type Negotiated } from './prism.ts';

const engine = () => engineFor(loadContract());
const FORM = 'application/x-www-form-urlencoded';
const whole = 'grant_type=client_credentials&client_id=a&client_secret=b';

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

test('the engine of a contract is made once', async () => {
  expect(await engine()).toBe(await engine());
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

test('401 for data carries the challenge of the contract', async () => {
  expect((await engine()).negotiated.get(answers.unknownToken)?.headers).toMatchObject({
    'www-authenticate': 'Bearer',
  });
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

for (const [accept, accepted] of [
  ['application/json', true],
  ['application/json;q=0.5', true],
  ['Application/JSON', true],
  ['text/html, application/json; charset=utf-8', true],
  ['application/geo+json', true],
  ['application/json;q=0, application/geo+json', true],
  ['application/geo+json;q=0.1,application/json;q=0', true],
  ['application/json;q=0', false],
  ['application/json, application/geo+json;q=0', false],
  ['application/json-seq', false],
  ['application/json-patch+json, text/html', false],
  ['text/x.application/json', false],
] as const)
  test(`accept: ${accept} ${accepted ? 'has' : 'leaves out'} the type of a profile that is another than JSON`, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document to be changed
    const document = structuredClone(loadContract().document) as any;
    const { content } = document.paths['/ods_data/'].get.responses[200];
    content['application/geo+json'] = content['application/json'];
    delete content['application/json'];
    const { accepts } = await engineFor(readContract(document, 'geo'));
    expect(await accepts('readData', accept)).toBe(accepted);
  });

for (const [what, contentType, body, problem] of [
  ['a valid form', FORM, whole, undefined],
  ['a valid form with a charset', `${FORM}; charset=utf-8`, whole, undefined],
  ['another grant', FORM, whole.replace('client_credentials', 'password'), 'other-grant-type'],
  ['a form without client_secret', FORM, whole.replace('client_secret', 'x'), 'malformed-request'],
  ['an empty body', FORM, '', 'malformed-request'],
  ['malformed percent-encoding in a name', FORM, `%=x&${whole}`, 'malformed-request'],
  ['JSON', 'application/json', '{}', 'other-media-type'],
  ['no content type', undefined, whole, 'other-media-type'],
  ['an unreadable content type', 'form', whole, 'other-media-type'],
] as const)
  test(`${what} has the problem ${problem}`, async () => {
    expect(await (await engine()).formProblem(contentType, body)).toBe(problem);
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

for (const profile of ['specification', 'nrao-ods', 'static-feed'])
  test(`under ${profile} a mock that listens loads and compiles no more for a first request than for a later one`, () => {
    const args = ['--input-type=module', '--eval', COUNTING, profile];
    const [first, second, third] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(first).toEqual(third);
    expect(second).toEqual(third);
  });

test('a part of Prism that is left out of its bundle says so when it is called', async () => {
  const { createInstance, getHttpOperationsFromSpec } = createRequire(import.meta.url)('#prism');
  const [operation] = await getHttpOperationsFromSpec({
    openapi: '3.1.0',
    info: { title: 'One', version: '1' },
    paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema: {} } } } } } } },
  });
  const nothing = () => {};
  const logger: object = { child: () => logger, info: nothing, success: nothing, debug: nothing };
  const prism = createInstance({ mock: { dynamic: true } }, { logger });
  const { left } = await prism.request({ method: 'get', url: { path: '/a' } }, [operation])();
  expect(left.message).toContain('The mock generates no bodies, so that this part of Prism is not in');
});
