import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Finding, JudgedRule, TokenCount } from '../certificate.ts';
import type { Call, CredentialLeak, Life } from '../traffic.ts';
import type { CertificateReport, ReportedScenario } from './report.ts';
import { broken, SAMPLES } from './testing/sample-certificates.ts';

const schema = JSON.parse(readFileSync(new URL('./certificate.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
addFormats.default(ajv);
const validate = ajv.compile(schema);

/** Where a report is not what its schema says. */
function faultsOf(report: unknown): string[] {
  validate(JSON.parse(JSON.stringify(report)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

for (const [name, report] of Object.entries(SAMPLES))
  test(`the sample ${name} is a report by the schema`, () => {
    expect(faultsOf(report)).toEqual([]);
  });

type Spoil = (report: CertificateReport) => unknown;
const first = <T>([one]: readonly T[]): T => one as T;

const SPOILT: [what: string, spoil: Spoil, where: string][] = [
  ['another version', (report) => Object.assign(report, { schemaVersion: 2 }), '/schemaVersion'],
  ['an outcome of its own', (report) => Object.assign(report, { outcome: 'fine' }), '/outcome'],
  ['a moment that is none', (report) => Object.assign(report, { startedAt: 'now' }), '/startedAt'],
  ['a member too many', (report) => Object.assign(report, { extra: 1 }), ' must NOT have additional'],
  [
    'no tokens',
    (report) => Object.assign(report, { tokens: undefined }),
    " must have required property 'tokens'",
  ],
  ['half a request', (report) => Object.assign(report, { requests: 0.5 }), '/requests'],
  ['no process', (report) => Object.assign(report.client, { processes: 0 }), '/client/processes'],
  ['a count too many', (report) => Object.assign(report.counts, { skipped: 0 }), '/counts'],
  [
    'a clause of its own',
    (report) => Object.assign(first(report.rules), { clause: '4.1' }),
    '/rules/0/clause',
  ],
  [
    'a failure without a finding',
    (report) => Object.assign(first(report.rules), { verdict: 'failed' }),
    '/rules/0/findings',
  ],
  [
    'a warning without a finding',
    (report) => Object.assign(first(report.rules), { verdict: 'warned' }),
    '/rules/0/findings',
  ],
  [
    'no reason where one is due',
    (report) => Object.assign(first(report.rules), { verdict: 'could-not-run' }),
    '/rules/0',
  ],
  [
    'a failure of good practice',
    ({ rules }) =>
      Object.assign(rules.find(({ verdict }) => verdict === 'warned') ?? {}, { verdict: 'failed' }),
    " must have required property 'clause'",
  ],
  [
    'too many calls in a finding',
    ({ rules }) =>
      Object.assign(first(rules.flatMap(({ findings }) => findings)), { calls: Array(21).fill(1) }),
    '/calls must NOT have more than 20 items',
  ],
  [
    'a state of its own',
    (report) => Object.assign(first(report.scenarios), { state: 'odd' }),
    '/scenarios/0/state',
  ],
  [
    'output without its lines',
    (report) => Object.assign(first(report.scenarios), { output: { file: 'a' } }),
    '/scenarios/0/output',
  ],
  [
    'a call that is no call',
    (report) => Object.assign(first(first(report.scenarios).calls), { kind: 'tea' }),
    '/scenarios/0/calls/0/kind',
  ],
  [
    'a token as it was sent',
    (report) => Object.assign(first(first(report.scenarios).calls), { token: 'eyJ' }),
    '/scenarios/0/calls/0/token',
  ],
  [
    'a life without an end',
    (report) => Object.assign(first(first(report.scenarios).lives), { expiresMs: undefined }),
    '/scenarios/0/lives/0',
  ],
];

for (const [what, spoil, where] of SPOILT)
  test(`the schema refuses ${what}`, () => {
    const report = structuredClone(broken);
    spoil(report);
    expect(faultsOf(report).join('\n')).toContain(where);
  });

/** What a type has, and of what it can do without; the compiler sees that nothing is missing and nothing too much. */
type Members<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? 'optional' : 'required' };

const [required, optional] = ['required', 'optional'] as const;

const TYPES = {
  '': {
    ...{
      $schema: required,
      schemaVersion: required,
      outcome: required,
      strategy: required,
      client: required,
    },
    ...{ startedAt: required, durationMs: required, requests: required, tokens: required, counts: required },
    ...{ rules: required, scenarios: required, problems: required, marginSeconds: optional },
  } satisfies Members<CertificateReport>,
  'properties/client': { command: optional, processes: required } satisfies Members<
    CertificateReport['client']
  >,
  'properties/counts': {
    ...{ passed: required, failed: required, warned: required },
    ...{ 'could-not-run': required, 'not-applicable': required },
  } satisfies Members<CertificateReport['counts']>,
  '$defs/tokens': { asked: required, needed: required } satisfies Members<TokenCount>,
  '$defs/rule': {
    ...{ id: required, verdict: required, statement: required, advice: required, findings: required },
    ...{ clause: optional, reason: optional },
  } satisfies Members<JudgedRule>,
  '$defs/finding': {
    ...{ severity: required, scenario: required, seen: required, calls: required },
  } satisfies Members<Finding>,
  '$defs/scenario': {
    ...{ name: required, summary: required, agreedLifetimeSeconds: required, tokenLifetimeSeconds: required },
    ...{ state: required, durationMs: required, tokens: required, calls: required, callCount: required },
    ...{ lives: required, ended: optional, output: optional },
  } satisfies Members<ReportedScenario>,
  '$defs/scenario/properties/output': {
    ...{ file: required, lastLines: required },
  } satisfies Members<NonNullable<ReportedScenario['output']>>,
  '$defs/call': {
    ...{ id: required, kind: required, startMs: required, endMs: required, atMs: required, method: required },
    ...{ path: required, query: required, target: required, status: required, reason: required },
    ...{ misplaced: required, ended: optional, token: optional, standing: optional, accept: optional },
    ...{ contentType: optional, authorization: optional, fields: optional, retryAfterSeconds: optional },
  } satisfies Members<Call>,
  '$defs/call/properties/misplaced/items': {
    what: required,
    where: required,
  } satisfies Members<CredentialLeak>,
  '$defs/life': {
    ...{ number: required, issuedMs: required, expiresMs: required, endedMs: optional },
  } satisfies Members<Life>,
};

/** What is at `path` in the schema. */
const partAt = (path: string) =>
  path.split('/').reduce((part, name) => (name === '' ? part : part[name]), schema);

for (const [path, members] of Object.entries<Record<string, string>>(TYPES))
  test(`the schema has the members of the type: ${path || 'the report'}`, () => {
    const part = partAt(path);
    expect(Object.keys(part.properties).sort()).toEqual(Object.keys(members).sort());
    expect([...part.required].sort()).toEqual(
      Object.keys(members)
        .filter((name) => members[name] === required)
        .sort(),
    );
  });

test('every object of the schema is closed, and every member of an object is described', () => {
  const objects: string[] = [];
  const walk = (part: unknown, path: string): void => {
    if (part === null || typeof part !== 'object') return;
    const { type, additionalProperties, properties } = part as Record<string, Record<string, object>>;
    if ((type as unknown) === 'object') {
      objects.push(path);
      expect(additionalProperties as unknown, path).toBe(false);
      for (const [name, member] of Object.entries(properties ?? {}))
        if (!('enum' in member)) expect(Object.keys(member), `${path}/${name}`).toContain('description');
    }
    for (const [name, member] of Object.entries(part)) walk(member, `${path}/${name}`);
  };
  walk(schema, '');
  expect(objects).toHaveLength(Object.keys(TYPES).length);
});
