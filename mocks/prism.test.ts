import { createRequire } from 'node:module';
import { expect, _baseTest as test } from '@playwright/test';
import { answers } from './contract/answers.ts';
import { loadContract } from './contract/contract.ts';
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
