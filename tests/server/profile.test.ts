import { expect, test } from 'vitest';
import { createCompare } from './compare.ts';
import type { HttpResponse } from './probe/http.ts';
import { declaredBy, declaredRequirements, type Profile, profileIn } from './profile.ts';
import type { Parsed } from './support/json.ts';
import { answered, blankEvidence } from './testing/evidence.ts';

const TEST = { answers: 'MRS-7e', statement: 'It is refused.', source: 'https://mrs.example/' };
const document = {
  'x-profile': { name: 'mine', title: 'Mine', notOffered: [] },
  paths: {
    '/ods_data/': {
      get: {
        operationId: 'readData',
        responses: {
          '200': { $ref: '#/components/responses/Served' },
          '401': {
            'x-declared': TEST,
            headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } }, 'X-A': {} },
            content: {
              'application/json': {
                schema: { type: 'object' },
                examples: { missing: { 'x-response-when': 'missing-token', value: { 'x-declared': TEST } } },
              },
            },
          },
          '403': { 'x-response-when': 'expired-token' },
        },
      },
    },
    '/notes': { post: { operationId: 'addNote' } },
  },
  components: {
    securitySchemes: {
      accessToken: {
        'x-token-lifetime-seconds': 60,
        'x-declared': { answers: 'MRS-5e', statement: 'A token lives a minute.' },
      },
    },
    responses: {
      Served: {
        content: {
          'application/json': { examples: { served: { 'x-response-when': 'valid-token', value: 1 } } },
        },
      },
    },
  },
};
const profile = profileIn(document);

test('each open point is one row, whatever is declared of it, and examples declare nothing', () => {
  expect(profile && declaredRequirements(profile)).toEqual([
    {
      id: 'MRS-7e@mine',
      clause: '7',
      kind: 'declared',
      statement: 'It is refused.',
      source: 'https://mrs.example/',
    },
    { id: 'MRS-5e@mine', clause: '5', kind: 'declared', statement: 'A token lives a minute.' },
  ]);
});

test('answers are found through a reference, and without a body', () => {
  expect(profile?.answers).toMatchObject([
    { when: 'valid-token', status: 200, mediaType: 'application/json' },
    {
      when: 'missing-token',
      status: 401,
      headers: [{ name: 'www-authenticate' }],
      schemas: ['/paths/~1ods_data~1/get/responses/401/content/application~1json/schema'],
    },
    { when: 'expired-token', status: 403 },
  ]);
  expect(profile?.answers[2]).not.toHaveProperty('mediaType');
  expect(profile?.answers[0]?.pointers).toContain('/components/responses/Served');
});

for (const [text, isRight] of [
  ['5', true],
  ['five', false],
] as const)
  test(`a header that is the integer ${text} is ${isRight ? 'right' : 'wrong'}`, () => {
    const numbered = structuredClone(document);
    Object.assign(numbered.paths['/ods_data/'].get.responses['401'].headers, {
      'WWW-Authenticate': { required: true, schema: { type: 'integer' } },
    });
    const compare = createCompare(profileIn(numbered) as NonNullable<typeof profile>);
    const answer = { status: 401, headers: [['www-authenticate', text]], mediaType: '' };
    const { declared } = compare(
      { method: 'GET', path: '/ods_data/' },
      answer as never as HttpResponse,
      {} as Parsed,
    );
    expect(JSON.stringify(declared).includes('must be integer')).toBe(!isRight);
  });

for (const [what, unjudged, verdict] of [
  ['judged as a whole', [], 'passed'],
  ['judged in part', ['The value at byte 14 is too large.'], 'could-not-run'],
] as const)
  test(`the verdict on records that were ${what} is ${verdict}`, () => {
    const declared = { answers: 'MRS-4.2g', statement: 'Records have a form.' };
    const records = { schema: 'Record', 'x-declared': declared };
    const [, , row] = declaredBy(profileIn({ ...document, 'x-records': records }) as Profile);
    const sites = { count: 0, first: [] };
    const feed = { ...{ records: 1, findings: [], remarks: [], nowMs: 0, sites }, unjudged: [...unjudged] };
    const evidence = blankEvidence();
    evidence.probes['data.first'] = answered(1, 200, { feed });
    expect(row?.judge(evidence)).toMatchObject({ verdict });
  });
