import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { CertificateSchema } from './certificate.schema.ts';
import { broken, SAMPLES } from './testing/sample-certificates.ts';
import { certificateSchema } from './write-reports.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(certificateSchema));

function faultsOf(report: unknown): string {
  validate(JSON.parse(JSON.stringify(report)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('\n');
}

for (const [name, report] of Object.entries(SAMPLES))
  test(`sample ${name} is valid by the schema`, () => {
    expect(faultsOf(report)).toBe('');
  });

const ruleWith = (report: CertificateSchema, verdict: string) =>
  report.rules.find((rule) => rule.verdict === verdict) ?? {};

/** What the members of one object require of each other, which types do not state. */
for (const [what, spoil, where] of [
  [
    'a failure without a finding',
    (one) => Object.assign(ruleWith(one, 'passed'), { verdict: 'failed' }),
    '/findings',
  ],
  [
    'a warning without a finding',
    (one) => Object.assign(ruleWith(one, 'passed'), { verdict: 'warned' }),
    '/findings',
  ],
  [
    'a rule that could not run without a reason',
    (one) => Object.assign(ruleWith(one, 'passed'), { verdict: 'could-not-run' }),
    "'reason'",
  ],
  [
    'a failure of good practice',
    (one) => Object.assign(ruleWith(one, 'warned'), { verdict: 'failed' }),
    "'clause'",
  ],
  ['a member that it does not know', (one) => Object.assign(one, { extra: 1 }), 'additional properties'],
] as [string, (report: CertificateSchema) => unknown, string][])
  test(`schema refuses ${what}`, () => {
    const report = structuredClone(broken) as CertificateSchema;
    spoil(report);
    expect(faultsOf(report)).toContain(where);
  });
