import { expect, _baseTest as test } from '@playwright/test';
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

for (const [clause, what, change] of [
  ['MRS-4.1a', 'valid credentials with 201', (one) => moved(token(one), 200, 'issued', 201)],
  ['MRS-4.1b', 'a token endpoint that asks for a token', (one) => delete token(one).security],
  [
    'MRS-5.2',
    'a form of another field',
    (one) => {
      one.components.schemas.TokenRequest.required = ['grant_type'];
    },
  ],
  [
    'MRS-5.2',
    'a form as JSON too',
    (one) => {
      token(one).requestBody.content['application/json'] = { schema: {} };
    },
  ],
  [
    'MRS-2a',
    'a token of another name',
    (one) => {
      one.components.schemas.TokenResponse.required = ['access_token'];
    },
  ],
  [
    'MRS-2a',
    'a token response with more fields',
    (one) => delete one.components.schemas.TokenResponse.additionalProperties,
  ],
  [
    'MRS-2a',
    'a token as text',
    (one) => {
      const { content } = token(one).responses[200];
      content['text/plain'] = { examples: content['application/json'].examples };
      content['application/json'] = { ...content['application/json'], examples: {} };
    },
  ],
  [
    'MRS-4.1e',
    'a token for a form without a field',
    (one) => {
      moved(token(one), 400, 'invalid-request', 200).value = { token: 't' };
    },
  ],
  [
    'MRS-4.1f',
    'a token for another grant',
    (one) => {
      moved(token(one), 400, 'unsupported-grant-type', 200).value = { token: 't' };
    },
  ],
  [
    'MRS-4.1h',
    'a token for wrong credentials',
    (one) => {
      moved(token(one), 401, 'wrong-credentials', 200).value = { token: 't' };
    },
  ],
  ['MRS-4.2a', 'a valid token with 404', (one) => moved(data(one), 200, 'served', 404)],
  ['MRS-4.2a', 'no data endpoint', (one) => delete one.paths['/ods_data/']],
  [
    'MRS-4.2b',
    'data as HTML',
    (one) => {
      const { content } = data(one).responses[200];
      content['text/html'] = content['application/json'];
      delete content['application/json'];
    },
  ],
  [
    'MRS-4.2b',
    'data that may be HTML',
    (one) => {
      data(one).responses[200].content['text/html'] = { schema: {} };
    },
  ],
  [
    'MRS-4.2b',
    'data without a body',
    (one) => {
      data(one).responses[200] = { description: '', 'x-response-when': 'valid-token' };
    },
  ],
  [
    'MRS-1.3',
    'the data without a token',
    (one) => {
      moved(data(one), 401, 'missing-token', 200).value = { ods_data: [] };
    },
  ],
  [
    'MRS-1.3',
    'a list of the data with a malformed token',
    (one) => {
      moved(data(one), 401, 'malformed-token', 200).value = [];
    },
  ],
  [
    'MRS-5.5a',
    'the data with an unknown token',
    (one) => {
      moved(data(one), 401, 'unknown-token', 203).value = { ods_data: [1] };
    },
  ],
  ['MRS-7a', 'an expired token with 401', (one) => moved(data(one), 403, 'expired', 401)],
  ['MRS-7a', 'no answer to an expired token', (one) => delete data(one).responses[403]],
  [
    'MRS-5.4',
    'another scheme',
    (one) => {
      one.components.securitySchemes.accessToken.scheme = 'basic';
    },
  ],
  [
    'MRS-5.4',
    'another endpoint open to everyone',
    (one) => {
      one.paths['/more/'] = { get: { operationId: 'more', security: [] } };
    },
  ],
  [
    'MRS-5.4',
    'data open to everyone',
    (one) => {
      data(one).security = [];
    },
  ],
  ['MRS-4.3b', 'a health check that asks for a token', (one) => delete one.paths['/health/'].get.security],
  [
    'MRS-4.3b',
    'a second one that does',
    (one) => {
      one.paths['/ready/'] = { get: { operationId: 'checkHealth2' } };
    },
  ],
] as [string, string, (document: Loose) => unknown][])
  test(`${what} is refused, by ${clause}`, () => {
    expect(faultOf(change)).toMatch(new RegExp(`^${clause} states: ".+\\." The profile changes that\\.`));
  });

for (const root of ['x-ambiguities', 'x-open-points', 'openapi'])
  test(`another ${root} is refused`, () => {
    expect(faultOf((one) => delete one[root])).toContain(`it changes ${root}`);
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
  [
    'another text next to a clause',
    (one) => {
      token(one).description = 'Another text.';
    },
  ],
  [
    'an endpoint that asks for a token',
    (one) => {
      one.paths['/more/'] = { get: { operationId: 'more' } };
    },
  ],
] as [string, (document: Loose) => unknown][])
  test(`${what}: open, and taken`, () => {
    expect(faultOf(change)).toBeUndefined();
  });

test('a deployment without tokens is not asked for them, and one with tokens leaves out nothing', () => {
  const without = (one: Loose) => {
    one.paths = {};
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

test('what is open is declared as a health check, and as nothing else', () => {
  const open = (answers?: string) => (one: Loose) => {
    const declared = answers && { 'x-declared': { answers, statement: 'It is open.' } };
    one.paths['/more/'] = { get: { operationId: 'checkHealth2', security: [], ...declared } };
  };
  expect(faultOf(open())).toContain('MRS-5.4');
  expect(faultOf(open('MRS-4.4'))).toContain('MRS-5.4');
  expect(faultOf(open('MRS-4.3c'))).toBeUndefined();
});

for (const [what, declared, sentence] of [
  ['a statement', { answers: 'MRS-7a', statement: 'Another.' }, 'which the specification states'],
  ['nothing', { statement: 'Another.' }, 'lacks "answers" or "statement"'],
  ['an open point without words', { answers: 'MRS-7c', statement: '' }, 'lacks "answers" or "statement"'],
] as const)
  test(`a declaration that answers ${what} is refused`, () => {
    expect(faultOf((one) => Object.assign(data(one).responses[403], { 'x-declared': declared }))).toContain(
      sentence,
    );
  });
