import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { parse } from 'yaml';
import type { Requirement } from '../../tests/support/requirements.ts';
import { contractFaults, lintFaults, typesFaults } from './contract-check.ts';
import { notShownFaults } from './ledger-check.ts';

const root = new URL('./', import.meta.resolve('mrs-contract/package.json'));
const fileOf = (path: string) => fileURLToPath(new URL(path, root));
const source = readFileSync(fileOf('openapi.yaml'), 'utf8');

const contract = parse(source);
const rows = parse(readFileSync(fileOf('tests/requirements.yaml'), 'utf8'));

// biome-ignore lint/suspicious/noExplicitAny: a document to be spoilt at any place
type Loose = any;

const token = (document: Loose) => document.paths['/token/'].post;
const rowOf = (ledger: Loose, id: string) => ledger.find((row: Requirement) => row.id === id);
const json = (response: Loose) => response.content['application/json'];

const spoilt: [string, (document: Loose, ledger: Loose) => unknown, RegExp][] = [
  // Schemas
  [
    'a pattern that does not compile',
    (one) => Object.assign(one.components.schemas.TokenResponse.properties.token, { pattern: '[' }),
    /^openapi.yaml#\/components\/schemas\/TokenResponse: the schema does not compile: Invalid regular expression/,
  ],
  [
    'a misspelt keyword',
    (one) => Object.assign(one.components.schemas.TokenResponse.properties.token, { minLenght: 1 }),
    /TokenResponse: the schema does not compile: .*unknown keyword: "minLenght"/,
  ],
  [
    'a keyword with a value that it cannot have',
    (one) => Object.assign(one.components.schemas.TokenResponse.properties.token, { minLength: -1 }),
    /TokenResponse: the schema does not compile: \/properties\/token\/minLength must be >= 0/,
  ],
  [
    'a reference to no schema',
    (one) => Object.assign(json(token(one).responses['200']).schema, { $ref: '#/components/schemas/None' }),
    /responses\/200\/content\/application~1json\/schema: the schema does not compile: can't resolve reference/,
  ],
  // Examples
  [
    'an example of an answer that does not fit',
    (one) => Object.assign(json(token(one).responses['200']).examples.issued, { value: { token: '' } }),
    /responses\/200\/content\/application~1json\/examples\/issued\/value: .* fewer than 1 characters/,
  ],
  [
    'an example of a request that does not fit',
    (one) =>
      delete token(one).requestBody.content['application/x-www-form-urlencoded'].examples.demo.value
        .client_id,
    /requestBody\/.*\/examples\/demo\/value: .* required property 'client_id'/,
  ],
  [
    'an example of a header that does not fit',
    (one) =>
      Object.assign(one.paths['/ods_data/'].get.responses['401'].headers['WWW-Authenticate'], { example: 1 }),
    /responses\/401\/headers\/WWW-Authenticate\/example: the example does not fit its schema/,
  ],
  [
    'an example at a reference that does not fit',
    (one) => {
      one.components.examples = { wrong: { value: {} } };
      json(token(one).responses['200']).examples.issued = { $ref: '#/components/examples/wrong' };
    },
    /^openapi.yaml#\/components\/examples\/wrong\/value: .* required property 'token'/,
  ],
  [
    'an example without a value',
    (one) => delete json(token(one).responses['200']).examples.issued.value,
    /examples\/issued\/value: the example has no value/,
  ],
  [
    'a refusal without an example',
    (one) => delete json(token(one).responses['400']).examples,
    /^openapi.yaml#\/paths\/~1token~1\/post\/responses\/400: the answer has no named example/,
  ],
  [
    'a success without content',
    (one) => delete one.paths['/health/'].get.responses['200'].content,
    /^openapi.yaml#\/paths\/~1health~1\/get\/responses\/200: the answer has no named example/,
  ],
  [
    'an answer at a reference without an example',
    (one) => Object.assign(json(one.components.responses.NotAcceptable), { examples: {} }),
    /^openapi.yaml#\/components\/responses\/NotAcceptable: the answer has no named example/,
  ],
  // Operations
  ['no path', (one) => delete one.paths, /^openapi.yaml#\/paths: there is no path/],
  [
    'a path without a slash at its end',
    (one) => Object.assign(one.paths, { '/health': one.paths['/health/'] }),
    /^openapi.yaml#\/paths\/~1health: the path "\/health" does not end with a slash/,
  ],
  [
    'an operation without description',
    (one) => delete token(one).description,
    /^openapi.yaml#\/paths\/~1token~1\/post: the operation has no description/,
  ],
  // References to the ledger
  [
    'an x-clauses with an unknown id',
    (one) => token(one)['x-clauses'].push('MRS-4.1z'),
    /^openapi.yaml#\/paths\/~1token~1\/post\/x-clauses\/7: "MRS-4.1z" is not an id in tests\/requirements.yaml/,
  ],
  [
    'an empty x-clauses',
    (one) => Object.assign(token(one), { 'x-clauses': [] }),
    /^openapi.yaml#\/paths\/~1token~1\/post\/x-clauses: this is not a list of ids/,
  ],
  [
    'an x-assumption with an unknown id',
    (one) => Object.assign(token(one).responses['400']['x-assumption'], { answers: 'MRS-7z' }),
    /responses\/400\/x-assumption\/answers: "MRS-7z" is not an id/,
  ],
  [
    'an x-assumption about what is stated',
    (one) => Object.assign(token(one).responses['400']['x-assumption'], { answers: 'MRS-7a' }),
    /responses\/400\/x-assumption\/answers: MRS-7a is of the kind "server"/,
  ],
  ...['answers', 'choice', 'reason'].map((field): (typeof spoilt)[number] => [
    `an x-assumption without ${field}`,
    (one) => Object.assign(token(one).responses['400']['x-assumption'], { [field]: ' ' }),
    new RegExp(`responses/400/x-assumption: the assumption has no ${field}`),
  ]),
  [
    'an x-ambiguities with an unknown id',
    (one) => Object.assign(one['x-ambiguities'][1], { clauses: ['MRS-7z'] }),
    /^openapi.yaml#\/x-ambiguities\/1\/clauses\/0: "MRS-7z" is not an id/,
  ],
  [
    'an open point with an unknown id',
    (one) => Object.assign(one['x-open-points'][0], { id: 'MRS-1.5z' }),
    /^openapi.yaml#\/x-open-points\/0\/id: "MRS-1.5z" is not an id/,
  ],
  [
    'an open point without a summary',
    (one) => delete one['x-open-points'][0].summary,
    /^openapi.yaml#\/x-open-points\/0: the open point has no summary/,
  ],
  [
    'an open point that is stated',
    (one) => Object.assign(one['x-open-points'][0], { id: 'MRS-7a' }),
    /^openapi.yaml#\/x-open-points\/0: "MRS-7a" is where the ledger has the open statement "MRS-1.5a"/,
  ],
  [
    'an open point missing at the end',
    (one) => one['x-open-points'].pop(),
    /^openapi.yaml#\/x-open-points\/26: nothing is where the ledger has the open statement "MRS-9"/,
  ],
  [
    'open points in another order',
    (one) => one['x-open-points'].reverse(),
    /^openapi.yaml#\/x-open-points\/0: "MRS-9" is where the ledger has the open statement "MRS-1.5a"/,
  ],
  [
    'a binding statement that nothing refers to',
    (one) => delete one.components.schemas.TokenResponse.properties.token['x-clauses'],
    /^tests\/requirements.yaml#\/\d+: MRS-2a binds a deployment, but no x-clauses in openapi.yaml names it/,
  ],
  // The ledger
  [
    'an empty ledger',
    (_, ledger) => ledger.splice(0),
    /^tests\/requirements.yaml#: the ledger is not a list/,
  ],
  [
    'an id of another clause',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { id: 'MRS-61' }),
    /^tests\/requirements.yaml#\/\d+\/id: "MRS-61" is not an id of clause 6/,
  ],
  [
    'an id two numbers deeper than its clause',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { id: 'MRS-6.1.1' }),
    /"MRS-6.1.1" is not an id of clause 6/,
  ],
  [
    'an id with two letters',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { id: 'MRS-6ab' }),
    /"MRS-6ab" is not an id of clause 6/,
  ],
  [
    'a clause that is a number to YAML',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-4.4'), { clause: 4.4 }),
    /\/clause: 4.4 is not a clause/,
  ],
  [
    'an unknown kind',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { kind: 'opn' }),
    /\/kind: "opn" is not a kind/,
  ],
  [
    'a row without a statement',
    (_, ledger) => delete rowOf(ledger, 'MRS-6').statement,
    /\/statement: a row of the kind "open" has "statement": write it as a text/,
  ],
  [
    'an interpretation without a reading',
    (_, ledger) => delete rowOf(ledger, 'MRS-4.2a').reading,
    /\/reading: a row of the kind "interpretation" has "reading"/,
  ],
  [
    'a reading of what is no interpretation',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-7a'), { reading: 'so' }),
    /\/reading: a row of the kind "server" has no reading/,
  ],
  [
    'an unknown need',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-1.3'), { needs: 'records' }),
    /\/needs: a row of the kind "server" has "needs": write one of token-response, token, data/,
  ],
  [
    'a need of a row that is not judged',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-4.1c'), { needs: 'token' }),
    /\/needs: a row of the kind "client" has no needs/,
  ],
  [
    'an unknown way in which traffic shows it',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-1.3'), { passive: 'always' }),
    /\/passive: a row of the kind "server" has "passive": write one of usual, occasional/,
  ],
  [
    'a row that is not judged by traffic',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-4.1c'), { passive: 'usual' }),
    /\/passive: a row of the kind "client" has no passive/,
  ],
  [
    'an unknown subject',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-1.3'), { about: 'records' }),
    /\/about: a row of the kind "server" has "about": write one of tokens/,
  ],
  [
    'an open point that can be left out',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { about: 'tokens' }),
    /\/about: a row of the kind "open" has no about/,
  ],
  [
    'a requirement without a severity',
    (_, ledger) => delete rowOf(ledger, 'MRS-1.3').severity,
    /\/severity: a row of the kind "server" has "severity": write one of security, breaks-clients, wrong-data, burdens-service, form\./,
  ],
  [
    'a requirement without advice',
    (_, ledger) => delete rowOf(ledger, 'MRS-1.3').advice,
    /\/advice: a row of the kind "server" has "advice": write it as a text/,
  ],
  [
    'a severity of a row that is not judged',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-4.1c'), { severity: 'form' }),
    /\/severity: a row of the kind "client" has no severity/,
  ],
  [
    'something not observable without a reason',
    (_, ledger) => delete rowOf(ledger, 'MRS-1.2').reason,
    /\/reason: a row of the kind "not-observable" has "reason"/,
  ],
  [
    'a reason of what is observable',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { reason: 'so' }),
    /\/reason: a row of the kind "open" has no reason/,
  ],
  [
    'a field that no row has',
    (_, ledger) => Object.assign(rowOf(ledger, 'MRS-6'), { note: 'so' }),
    /\/note: a row of the kind "open" has no note/,
  ],
  [
    'an id given twice',
    (_, ledger) => ledger.push({ ...rowOf(ledger, 'MRS-9') }),
    /\/id: MRS-9 is the id of an earlier row too/,
  ],
  [
    'sections in another order',
    (_, ledger) => ledger.push(...ledger.splice(4, 2)),
    /\/id: MRS-1.5a is after MRS-2a/,
  ],
  [
    'numbers in another order, with a statement of the section between',
    (_, ledger) => {
      const at = ledger.findIndex(({ id }: Requirement) => id === 'MRS-5.4');
      const [moved] = ledger.splice(at, 1);
      ledger.splice(ledger.indexOf(rowOf(ledger, 'MRS-5b')) + 1, 0, moved);
    },
    /\/id: MRS-5.4 is after MRS-5.5a/,
  ],
  [
    'letters in another order',
    (_, ledger) => {
      const at = ledger.indexOf(rowOf(ledger, 'MRS-7c'));
      ledger.splice(at, 2, ledger[at + 1], ledger[at]);
    },
    /\/id: MRS-7c is after MRS-7d/,
  ],
];

for (const [what, spoil, sentence] of spoilt)
  test(`${what} is a fault`, () => {
    const document = structuredClone(contract);
    const ledger = structuredClone(rows);
    spoil(document, ledger);
    expect(contractFaults(document, ledger)).toContainEqual(expect.stringMatching(sentence));
  });

test('an invalid document or ledger is reported, not thrown', () => {
  expect(contractFaults(null, 'text')).toContainEqual(expect.stringMatching(/^tests\/requirements.yaml#: /));
  expect(contractFaults([], [null, 1])).toContainEqual(expect.stringMatching(/^openapi.yaml#\/paths: /));
});

test('what an example holds is data, even where it looks like the contract', () => {
  const document = structuredClone(contract);
  json(document.paths['/health/'].get.responses['200']).examples.healthy.value = {
    'x-clauses': ['MRS-0'],
    schema: { type: 'none' },
  };
  expect(contractFaults(document, structuredClone(rows))).toEqual([]);
});

for (const [what, found, put, sentence] of [
  [
    'an operationId given twice',
    'operationId: readData',
    'operationId: obtainToken',
    /\/paths\/.*operationId/,
  ],
  ['no operationId', '      operationId: readData\n', '', /\/paths\/.*operationId/],
  ['no summary', /(?<=operationId: readData\n) +summary: .*\n/, '', /\/paths\/.*summary/],
  ['no license', '  license:\n    name: Apache-2.0\n    identifier: Apache-2.0\n', '', /\/info.*license/],
] as const)
  test(`${what} is a fault to Redocly`, async () => {
    const changed = source.replace(found, put);
    expect(changed).not.toBe(source);
    expect(await lintFaults(changed, fileOf('redocly.yaml'))).toEqual([
      expect.stringMatching(new RegExp(`^openapi.yaml#${sentence.source}`)),
    ]);
  });

test('types that another contract makes are a fault', async () => {
  const types = readFileSync(fileOf('openapi.d.ts'), 'utf8');
  expect(await typesFaults(source.replace('minLength: 1', 'enum: [a]'), types)).toEqual([
    expect.stringMatching(/^openapi.d.ts: it differs from what openapi.yaml generates/),
  ]);
  expect(await typesFaults('swagger: "2.0"', types)).toEqual([expect.stringMatching(/no types can be made/)]);
});

const open = (clause: string) => ({ id: `MRS-${clause}`, clause, kind: 'open' as const, statement: 'Open.' });

for (const [what, specification, rows, faults] of [
  ['with an open row', '## 1. A\nB: not shown.', [open('1')], []],
  [
    'with no open row',
    '## 1. A\nB: not shown.',
    [{ ...open('1'), kind: 'client' }],
    [/in section 1 .*\(2\)/],
  ],
  ['twice with one open row', '## 1. A\nnot shown\nnot shown', [open('1')], [/\(2, 3\), and .* 1 open rows/]],
  ['with the open row in another section', '## 1. A\n## 2. B\nnot shown', [open('1')], [/in section 2 /]],
  ['with the row in a subsection', '## 1. A\nnot shown\n### 1.1 B', [open('1.1')], [/in section 1 /]],
  ['with the row at a list item', '## 5. A\n1. B\nnot shown', [open('5.1')], []],
  ['in section 1 with a row in section 10', '## 1. A\nnot shown\n## 10. B', [open('10')], [/in section 1 /]],
  ['before the first section', '# Title\nnot shown', [open('1')], [/in no numbered section/]],
] satisfies [string, string, Requirement[], RegExp[]][])
  test(`a "not shown" ${what} is ${faults.length === 0 ? 'in order' : 'a fault'}`, () => {
    expect(notShownFaults(specification, rows)).toEqual(faults.map((one) => expect.stringMatching(one)));
  });
