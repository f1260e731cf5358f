/**
 * The result of a run as an in-toto Statement v1 with a test result v0.1: what a platform signs, and what a policy
 * reads. https://github.com/in-toto/attestation, spec/v1/statement.md and spec/predicates/test-result.md
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ItemVerdict, ShownOutcome } from '../support/outcome.ts';
import type { Proof } from '../support/proof.ts';
import { suite, version } from '../support/version.ts';
import { itemsOf, type ReportModel } from './model.ts';

/** What a run was made with, by its digest or its address (ResourceDescriptor of in-toto). */
export interface Resource {
  name: string;
  uri?: string;
  digest?: { sha256: string };
  annotations?: Record<string, number>;
}

/** What is not shown to be kept is not passed: a policy denies FAILED, and only reports WARNED. */
const RESULT: Record<ShownOutcome, 'PASSED' | 'FAILED'> = {
  conformant: 'PASSED',
  'conformant-to-profile': 'PASSED',
  accepted: 'FAILED',
  nonconformant: 'FAILED',
  error: 'FAILED',
  incomplete: 'FAILED',
};

/**
 * The statement as text. Its subject is report.json, whose bytes are `report`: a service has no digest. What could not
 * run or is not applicable is in none of its lists. `configuration` is what this run had in addition to the contract
 * and the requirements; `url` is the page of the CI job.
 */
export function renderStatement(
  report: Uint8Array,
  model: ReportModel,
  configuration: readonly Resource[] = [],
  url = jobUrl(process.env),
): string {
  const outcome = model.judged ?? model.outcome;
  const named = (verdict: ItemVerdict) => [
    ...new Set(
      itemsOf(model)
        .filter((item) => item.verdict === verdict)
        .map(({ id }) => id),
    ),
  ];
  const warnedTests = named('warned');
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [resourceOf('report.json', report)],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: RESULT[outcome] === 'PASSED' && warnedTests.length > 0 ? 'WARNED' : RESULT[outcome],
      configuration: [
        { name: suite.name, uri: `pkg:npm/${suite.name}@${version}` },
        fileOfPackage('openapi.yaml'),
        fileOfPackage('requirements.yaml'),
        ...configuration,
      ],
      ...(url !== undefined && { url }),
      passedTests: named('passed'),
      warnedTests,
      failedTests: named('failed'),
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** A profile, by the contract with its overlay applied, as JSON without white space. */
export const profileResource = (name: string, document: unknown): Resource =>
  resourceOf(`profile ${name}`, JSON.stringify(document));

/** The proof of the suite: its digest is that of the files that were proved. */
export const proofResource = ({ digest, defects, variants }: Proof): Resource => ({
  name: 'proof',
  digest: { sha256: digest.replace('sha256:', '') },
  annotations: {
    defectsCaught: defects.caught,
    defects: defects.total,
    variantsAccepted: variants.accepted,
    variants: variants.total,
  },
});

const resourceOf = (name: string, content: string | Uint8Array): Resource => ({
  name,
  digest: { sha256: createHash('sha256').update(content).digest('hex') },
});

const fileOfPackage = (name: string): Resource =>
  resourceOf(name, readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${name}`))));

/** Of GitHub Actions or GitLab CI; undefined elsewhere. */
export function jobUrl(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL } = env;
  const url =
    GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID
      ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
      : CI_JOB_URL;
  return url && URL.canParse(url) ? url : undefined;
}
