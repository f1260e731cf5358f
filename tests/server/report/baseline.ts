/** Deviations that a person has accepted, for a reason and until a day. They change no verdict. */

import { parse, stringify } from 'yaml';
import { readBounded, TEXT_BYTES, UnreadableError } from '../../support/files.ts';
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

/** What a baseline makes of a report. */
export type Gate = NonNullable<Report['baseline']>;

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
  const entryFor = ({ id, verdict }: { id: string; verdict: string }) =>
    entries.find((entry) => entry.requirement === id && (entry.verdict ?? 'failed') === verdict);
  const left = requirements.filter((requirement) => !entryFor(requirement)).map(({ verdict }) => verdict);
  const accepted = requirements.flatMap((requirement) => {
    const { verdict = 'failed', ...entry } = entryFor(requirement) ?? {};
    return 'requirement' in entry ? [{ verdict, ...entry }] : [];
  });
  return { outcome: outcomeOf(), accepted, faults };

  function outcomeOf(): Gate['outcome'] {
    if (outcome === 'error') return 'error';
    if (left.includes('failed') || faults.length > 0) return 'nonconformant';
    if (left.includes('could-not-run') || !left.includes('passed')) return 'incomplete';
    return accepted.length > 0 ? 'accepted' : outcome;
  }
}

/** `accepted until 2030-01-01 by ops: it is known`. */
export const acceptedInWords = ({ until, owner, reason }: Gate['accepted'][number]): string =>
  `accepted until ${until} by ${owner}: ${reason}`;

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
