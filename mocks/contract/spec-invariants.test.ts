import { expect, test } from 'vitest';
import { specification } from './profile.ts';
import { profileProblem, TOKEN_CLAUSES } from './spec-invariants.ts';

interface Loose {
  // biome-ignore lint/suspicious/noExplicitAny: a document to be changed at any place
  [key: string]: any;
}

const base = specification().document as Loose;

function faultOf(change: (document: Loose) => unknown, notOffered: string[] = []): string | undefined {
  const document = structuredClone(base);
  change(document);
  return profileProblem(base, document, notOffered);
}

const token = (document: Loose) => document.paths['/token/'].post;
const data = (document: Loose) => document.paths['/ods_data/'].get;
/** Answers a condition with another status. */
const moved = (operation: Loose, from: number, name: string, to: number, when?: string) => {
  const { examples } = operation.responses[from].content['application/json'];
  const example = examples[name];
  delete examples[name];
  operation.responses[to] ??= { description: '', content: { 'application/json': { examples: {} } } };
  operation.responses[to].content['application/json'].examples[when ?? name] = example;
  return example;
};

test('the specification itself is in order', () => {
  expect(faultOf(() => {})).toBeUndefined();
});

/** Changes the member that the path names, with dots; `undefined` removes it. */
const set = (path: string, value?: unknown) => (document: Loose) => {
  const names = path
    .replace('TOKEN', 'paths./token/.post')
    .replace('DATA', 'paths./ods_data/.get')
    .split('.');
  const last = names.pop() as string;
  const parent = names.reduce((node, name) => node[name], document);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
};
/** A refusal that becomes a success with this body. */
const succeeds =
  (of: typeof token, from: number, name: string, value: unknown, to = 200) =>
  (one: Loose) =>
    Object.assign(moved(of(one), from, name, to), { value });
const JSON_TYPE = 'application/json';

for (const [clause, what, change] of [
  ['MRS-4.1a', 'valid credentials with 201', (one) => moved(token(one), 200, 'issued', 201)],
  ['MRS-4.1b', 'a token endpoint that requires a token', set('TOKEN.security')],
  ['MRS-5.2', 'a form with fewer fields', set('components.schemas.TokenRequest.required', ['grant_type'])],
  ['MRS-5.2', 'a form as JSON too', set(`TOKEN.requestBody.content.${JSON_TYPE}`, { schema: {} })],
  ['MRS-2a', 'a token of another name', set('components.schemas.TokenResponse.required', ['access_token'])],
  ['MRS-2a', 'more fields next to the token', set('components.schemas.TokenResponse.additionalProperties')],
  ['MRS-4.1e', 'a token for a broken form', succeeds(token, 400, 'invalid-request', { token: 't' })],
  ['MRS-4.1f', 'a token for another grant', succeeds(token, 400, 'unsupported-grant-type', { token: 't' })],
  ['MRS-4.1h', 'a token for wrong credentials', succeeds(token, 401, 'wrong-credentials', { token: 't' })],
  ['MRS-4.2a', 'a valid token with 404', (one) => moved(data(one), 200, 'served', 404)],
  ['MRS-4.2a', 'no data endpoint', set('paths./ods_data/')],
  ['MRS-4.2a', 'data without a body', set('DATA.responses.200', { 'x-response-when': 'valid-token' })],
  ['MRS-1.3', 'the data without a token', succeeds(data, 401, 'missing-token', { ods_data: [] })],
  ['MRS-1.3', 'a list with a malformed token', succeeds(data, 401, 'malformed-token', [])],
  ['MRS-5.5a', 'data with an unknown token', succeeds(data, 401, 'unknown-token', { ods_data: [1] }, 203)],
  ['MRS-7a', 'an expired token with 401', (one) => moved(data(one), 403, 'expired', 401)],
  ['MRS-7a', 'no answer to an expired token', set('DATA.responses.403')],
  ['MRS-5.4', 'another scheme', set('components.securitySchemes.accessToken.scheme', 'basic')],
  ['MRS-5.4', 'one more open endpoint', set('paths./more/', { get: { operationId: 'more', security: [] } })],
  ['MRS-5.4', 'data open to everyone', set('DATA.security', [])],
  ['MRS-4.3b', 'a health check that requires a token', set('paths./health/.get.security')],
  ['MRS-4.3b', 'a second one that does', set('paths./ready/', { get: { operationId: 'checkHealth2' } })],
] as [string, string, (document: Loose) => unknown][])
  test(`${what} is refused, by ${clause}`, () => {
    expect(faultOf(change)).toMatch(new RegExp(`^${clause} states: ".+\\." The profile changes that\\.`));
  });

for (const [what, change] of [
  ['a missing token with 403', (one) => moved(data(one), 401, 'missing-token', 403)],
  [
    'a missing token with a page and status 200',
    (one) => {
      const example = moved(data(one), 401, 'missing-token', 200);
      const { content } = data(one).responses[200];
      delete content['application/json'].examples['missing-token'];
      content['text/html'] = { schema: {}, examples: { page: { ...example, value: '<p>Sign in</p>' } } };
    },
  ],
  ['a missing token with an error and status 200', (one) => moved(data(one), 401, 'missing-token', 200)],
  [
    'answers without a body next to others',
    (one) => {
      const { responses } = data(one);
      const { 'missing-token': a, 'unknown-token': b } = responses[401].content['application/json'].examples;
      delete responses[401].content['application/json'].examples['missing-token'];
      delete responses[401].content['application/json'].examples['unknown-token'];
      responses[401]['x-without-body'] = { a, b };
    },
  ],
  [
    'an error and status 200 for wrong credentials',
    (one) => moved(token(one), 401, 'wrong-credentials', 200),
  ],
  [
    'an expired token with a page',
    (one) => {
      const { content } = data(one).responses[403];
      content['text/html'] = { examples: { expired: content['application/json'].examples.expired } };
      delete content['application/json'].examples.expired;
    },
  ],
  [
    'no data at all',
    (one) => {
      delete data(one).responses[200];
      data(one).responses[204] = { description: '', 'x-response-when': 'valid-token' };
    },
  ],
  ['another text next to a clause', set('TOKEN.description', 'Another text.')],
  ['an endpoint that requires a token', set('paths./more/', { get: { operationId: 'more' } })],
] as [string, (document: Loose) => unknown][])
  test(`${what}: open, and taken`, () => {
    expect(faultOf(change)).toBeUndefined();
  });

test('a deployment without tokens is not asked for them, and one with tokens leaves out nothing', () => {
  const without = (one: Loose) => {
    const { served } = data(one).responses[200].content[JSON_TYPE].examples;
    const responses = { 200: { content: { [JSON_TYPE]: { examples: { served } } } } };
    one.paths = { '/ods.json': { get: { operationId: 'readData', security: [], responses } } };
    one.security = [];
  };
  expect(faultOf(without)).toContain('MRS-4.1a');
  expect(faultOf(without, [...TOKEN_CLAUSES])).toBeUndefined();
  expect(faultOf(() => {}, [...TOKEN_CLAUSES])).toContain('a deployment without any tokens');
});

test('the data is where the specification has it, and no operation is there twice', () => {
  const moved = (one: Loose) => {
    one.paths['/private/'] = one.paths['/ods_data/'];
    delete one.paths['/ods_data/'];
  };
  expect(faultOf(moved)).toContain('readData at /private/');
  const hidden = (one: Loose) => {
    one.paths['/private/'] = structuredClone(one.paths['/ods_data/']);
    one.paths['/ods_data/'].get.operationId = 'more';
  };
  expect(faultOf(hidden)).toContain('more at /ods_data/');
});

for (const [what, declared, sentence] of [
  ['a statement', { answers: 'MRS-7a', statement: 'Another.' }, 'which is not an open point'],
  ['nothing', { statement: 'Another.' }, 'lacks "answers" or "statement"'],
  ['an open point without words', { answers: 'MRS-7c', statement: '' }, 'lacks "answers" or "statement"'],
] as const)
  test(`a declaration that answers ${what} is refused`, () => {
    expect(faultOf((one) => Object.assign(data(one).responses[403], { 'x-declared': declared }))).toContain(
      sentence,
    );
  });
