/** Deviations that a person has accepted, for a reason and until a day. They do not change the outcome of a run. */

import { parse, stringify } from 'yaml';
import { readBounded, TEXT_BYTES, UnreadableError } from '../../support/bounded-file.ts';
import { exitCodes } from '../../support/outcome.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { Report } from './report.ts';

export interface Accepted {
  /** The requirement's id. */
  requirement: string;
  /** The verdict that is accepted; `failed` if it is left out. */
  verdict?: 'failed' | 'could-not-run';
  reason: string;
  owner: string;
  /** The last day on which it is accepted, as YYYY-MM-DD. */
  until: string;
}

const schema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['requirement', 'reason', 'owner', 'until'],
    properties: {
      requirement: { type: 'string', minLength: 1 },
      verdict: { enum: ['failed', 'could-not-run'] },
      reason: { type: 'string', minLength: 1 },
      owner: { type: 'string', minLength: 1 },
      until: { type: 'string', format: 'date' },
    },
  },
};

/** Reads a baseline, in YAML or JSON. Throws UsageError if it is none. */
export function readBaseline(file: string): Accepted[] {
  const entries = parseFile(file);
  const validate = compileOwn<Accepted[]>(schema);
  if (validate(entries)) return entries;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  throw new UsageError(
    `The baseline ${file} is not usable: ${instancePath || 'it'} ${message}. Fix it there.`,
  );
}

function parseFile(file: string): unknown {
  try {
    return (
      parse(readBounded(file, TEXT_BYTES, { followsLink: true }).toString(), { logLevel: 'error' }) ?? []
    );
  } catch (error) {
    const why = error instanceof UnreadableError ? error.code : 'it is not YAML';
    throw new UsageError(`The baseline ${file} cannot be read (${why}). Name another, or write it anew.`);
  }
}

export interface Gate {
  /** Requirements whose deviation is accepted. */
  accepted: string[];
  /** Why the gate is shut although deviations are accepted, as sentences. */
  faults: string[];
  exitCode: number;
}

/** `today` is YYYY-MM-DD. A stale or outlived entry shuts the gate as a new failure does. */
export function applyBaseline({ requirements, outcome }: Report, entries: Accepted[], today: string): Gate {
  const faults = entries.flatMap(({ requirement, verdict = 'failed', until }) => {
    const seen = requirements.find(({ id }) => id === requirement)?.verdict ?? 'absent';
    if (seen !== verdict)
      return `The baseline accepts ${verdict} for ${requirement}, which is ${seen} now. Take the entry out.`;
    if (until < today)
      return `The baseline accepted ${requirement} until ${until}. Have it fixed, or accept it again.`;
    return [];
  });
  const accepts = ({ id, verdict }: { id: string; verdict: string }) =>
    entries.some((entry) => entry.requirement === id && (entry.verdict ?? 'failed') === verdict);
  const left = requirements.filter((requirement) => !accepts(requirement)).map(({ verdict }) => verdict);
  return {
    accepted: requirements.filter(accepts).map(({ id }) => id),
    faults,
    exitCode: exitCodeOf(),
  };

  function exitCodeOf(): number {
    if (outcome === 'error') return exitCodes.error;
    if (left.includes('failed') || faults.length > 0) return exitCodes.nonconformant;
    return left.includes('could-not-run') || !left.includes('passed') ? exitCodes.incomplete : 0;
  }
}

/** A baseline, in YAML or JSON, that accepts every deviation of `report`, for people to put their reasons into. */
export function renderBaseline(
  { requirements }: Report,
  owner: string,
  until: string,
  format: 'yaml' | 'json' = 'yaml',
): string {
  const entries = requirements.flatMap(({ id, verdict, evidence }): Accepted[] =>
    verdict === 'failed' || verdict === 'could-not-run'
      ? [{ requirement: id, verdict, reason: reasonOf(evidence), owner, until }]
      : [],
  );
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  return entries.length === 0 ? '[]\n' : stringify(entries, { lineWidth: 100 });
}

const reasonOf = ({ expected, seen, reason }: { expected?: string; seen: string; reason?: string }) =>
  reason ?? `expected ${expected}; seen: ${seen}`;
