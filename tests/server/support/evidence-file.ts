/** The evidence of a run as a file, which can be judged again without a request. */
import { readFileSync } from 'node:fs';
import { digestOf } from '../../report/publish.ts';
import { REPORT_BYTES, readBounded } from '../../support/files.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import { version } from '../../support/version.ts';
import { type Profile, profileIn } from '../profile.ts';
import { requests } from '../requests.ts';
import type { Evidence } from './evidence.ts';

const FORMAT = 'mrs-contract evidence';
/** Raised when an older file can no longer be judged. */
const FORMAT_VERSION = 4;

interface EvidenceFile {
  format: typeof FORMAT;
  version: typeof FORMAT_VERSION;
  /** Version of the suite that gathered it. */
  suite: string;
  /** The contract with the profile of the run merged into it; absent where nothing was declared. */
  contract?: Record<string, unknown>;
  evidence: Evidence;
}

/** What a file holds. */
export interface ReadEvidence {
  evidence: Evidence;
  profile: Profile | undefined;
}

/** What the file holds. Evidence is redacted when it is gathered, so that no secret is in it. */
export function fileOf(evidence: Evidence, profile?: Profile): EvidenceFile {
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    suite: version,
    ...(profile && { contract: profile.document }),
    evidence,
  };
}

export const writeEvidence = (evidence: Evidence, profile?: Profile): string =>
  `${JSON.stringify(fileOf(evidence, profile), null, 2)}\n`;

/** Reads a file of this run. */
export const readEvidence = (file: string): ReadEvidence => contentOf(JSON.parse(readFileSync(file, 'utf8')));

const contentOf = ({ evidence, contract }: EvidenceFile): ReadEvidence => ({
  evidence,
  profile: contract && profileIn(contract),
});

/** Reads a file that may come from anywhere. Throws UsageError with what is wrong with it. */
export function readForeignEvidence(file: string): ReadEvidence & { digest: string } {
  const text = textOf(file);
  return { ...foreignEvidence(text, file), digest: digestOf(text.trimEnd()) };
}

/** The evidence in a text that may come from anywhere; `file` names it. Throws UsageError with what is wrong with it. */
export function foreignEvidence(text: string, file: string): ReadEvidence {
  const content = parse(text, file);
  const { format, version: own, suite } = Object(content) as Partial<EvidenceFile>;
  if (format !== FORMAT)
    throw new UsageError(`${file} is not evidence of a run. Name an evidence.json that mrs verify wrote.`);
  if (typeof own === 'number' && own !== FORMAT_VERSION)
    throw new UsageError(
      `${file} has the evidence format ${own}, written by mrs-contract ${typeof suite === 'string' ? suite.slice(0, 20) : '(unknown)'}; ` +
        `this is ${version}, which reads format ${FORMAT_VERSION}. Judge it with that version.`,
    );
  const problem = problemIn(content);
  if (problem !== undefined)
    throw new UsageError(`${file} is damaged: ${problem}. Run mrs verify again, or name another file.`);
  return contentOf(content as EvidenceFile);
}

const unreadable = (file: string, why: string) =>
  new UsageError(`${file} cannot be read as evidence (${why}). Name an evidence.json that mrs verify wrote.`);

function textOf(file: string): string {
  try {
    return readBounded(file, REPORT_BYTES, { followsLink: true }).toString();
  } catch (error) {
    throw unreadable(file, (error as NodeJS.ErrnoException).code ?? 'unknown error');
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(file, 'it is not JSON');
  }
}

function problemIn(content: unknown): string | undefined {
  const validate = compileOwn(SCHEMA);
  if (!validate(content)) {
    // Of what can have two forms, the deepest error says most.
    const deepest = (validate.errors ?? []).toSorted(
      (a, b) => depth(b.instancePath) - depth(a.instancePath),
    )[0];
    return `${deepest?.instancePath || 'the file'} ${deepest?.message}`;
  }
  const { evidence, contract } = content as EvidenceFile;
  return evidence.profile && !contract ? 'it names a profile, and lacks its contract' : undefined;
}

const depth = (pointer: string) => pointer.split('/').length;

const EXCHANGE = {
  type: 'object',
  required: ['id', 'what', 'request', 'sentAtMs', 'durationMs'],
  oneOf: [{ required: ['response'] }, { required: ['failure'] }],
  properties: {
    id: { type: 'string', pattern: '^x\\d+$' },
    what: { type: 'string' },
    request: {
      type: 'object',
      required: ['method', 'path', 'headers'],
      properties: {
        method: { type: 'string' },
        path: { type: 'string' },
        headers: {
          type: 'array',
          items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
        },
        form: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    sentAtMs: { type: 'integer', minimum: 0 },
    durationMs: { type: 'integer', minimum: 0 },
    failure: { type: 'string' },
    again: { const: true },
    response: {
      type: 'object',
      required: ['status', 'headers', 'bodyBytes', 'digest', 'excerpt', 'json'],
      properties: {
        status: { type: 'integer' },
        mediaType: { type: 'string' },
        headers: {
          type: 'array',
          items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
        },
        bodyBytes: { type: 'integer', minimum: 0 },
        digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        excerpt: { type: 'string' },
        json: { type: 'object', required: ['wellFormed'] },
        declared: { type: 'object', required: ['mismatches'] },
        feed: { type: 'object', required: ['records', 'findings'] },
        tokenResponse: { type: 'object', required: ['issued', 'mismatches'] },
      },
    },
  },
};

const TARGET = {
  type: 'object',
  additionalProperties: false,
  required: ['baseUrl', 'clientId', 'healthPaths'],
  properties: {
    baseUrl: { type: 'string' },
    clientId: { type: 'string' },
    tokenLifetimeSeconds: { type: 'number', exclusiveMinimum: 0 },
    healthPaths: { type: 'array', items: { type: 'string' } },
    headers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'variable'],
        properties: {
          name: { type: 'string' },
          variable: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
        },
      },
    },
    userAgent: { type: 'string' },
    hasOwnAuthorities: { const: true },
    bundledMock: { const: true },
  },
};

const PROBE = {
  anyOf: [
    {
      type: 'object',
      required: ['what', 'notSent'],
      properties: { what: { type: 'string' }, notSent: { type: 'string' } },
    },
    EXCHANGE,
  ],
};

const PROBES = { type: 'array', items: PROBE };

const groupOf = (group: string) => ({
  type: 'object',
  required: requests.filter(({ key }) => key.startsWith(`${group}.`)).map(({ key }) => key.split('.')[1]),
  properties: { refusedTokens: PROBES, repeated: PROBES },
  additionalProperties: PROBE,
});

const SCHEMA = {
  type: 'object',
  required: ['evidence', 'suite', 'version'],
  properties: {
    version: { const: FORMAT_VERSION },
    suite: { type: 'string' },
    contract: { type: 'object', required: ['paths', 'x-profile'] },
    evidence: {
      type: 'object',
      required: [
        'token',
        'data',
        'health',
        'open',
        'expiry',
        'target',
        'startedAt',
        'durationMs',
        'requests',
      ],
      properties: {
        token: groupOf('token'),
        data: groupOf('data'),
        open: { ...groupOf('open'), required: [...groupOf('open').required, 'refusedTokens', 'repeated'] },
        health: {
          type: 'array',
          items: { type: 'object', required: ['plain'], additionalProperties: PROBE },
        },
        expiry: {
          type: 'object',
          required: ['kind'],
          properties: {
            kind: { enum: ['clock', 'waited', 'asserted', 'none'] },
            lifetimeSeconds: { type: 'number' },
            ageSeconds: { type: 'number' },
            late: {
              type: 'object',
              required: ['acceptedSeconds', 'refusedSeconds'],
              properties: { acceptedSeconds: { type: 'number' }, refusedSeconds: { type: 'number' } },
            },
          },
        },
        profile: {
          type: 'object',
          required: ['name', 'title', 'notOffered'],
          properties: {
            name: { type: 'string' },
            title: { type: 'string' },
            notOffered: { type: 'array', items: { type: 'string' } },
          },
        },
        target: TARGET,
        startedAt: { type: 'string' },
        durationMs: { type: 'number', minimum: 0 },
        requests: { type: 'integer', minimum: 0 },
      },
    },
  },
};
