/** Deviations that a person has accepted, for a reason and until a day. They change no verdict. */
import { parse } from 'yaml';
import type { Item, Report } from '../../report/report.ts';
import { readBounded, TEXT_BYTES } from '../../support/files.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import { outcomeOf } from './report.ts';

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
  const text = readBounded(file, TEXT_BYTES, `The baseline ${file}`, 'Name another.').toString();
  try {
    return parse(text, { logLevel: 'error' }) ?? [];
  } catch {
    throw new UsageError(`The baseline ${file} cannot be read (it is not YAML). Name another.`);
  }
}

type Gate = NonNullable<Report['baseline']>;

/**
 * The report with what the baseline accepts of it. `today` is YYYY-MM-DD. A stale or outlived entry shuts the gate as a
 * new failure does.
 */
export function applyBaseline(report: Report, entries: readonly Accepted[], today: string): Report {
  const { items, remarks, headline, next } = report;
  const entryFor = ({ id, verdict }: Item) =>
    entries.find((entry) => entry.requirement === id && (entry.verdict ?? 'failed') === verdict);
  const accepted = items.flatMap((item) => {
    const entry = entryFor(item);
    return entry ? [{ verdict: 'failed' as const, ...entry }] : [];
  });
  const faults = faultsOf(items, entries, today);
  const left = items.filter((item) => !entryFor(item));
  const outcome = gateOutcome(report, left, accepted, faults);
  const baseline: Gate = { outcome, accepted, faults };
  const failed = items.filter(({ verdict }) => verdict === 'failed').length;
  return {
    ...report,
    baseline,
    headline: headline + acceptanceOf(failed, accepted),
    next: outcome === 'accepted' ? 'Have the accepted deviations fixed before their last day.' : next,
    remarks: [...faults, ...remarks],
  };
}

function faultsOf(items: readonly Item[], entries: readonly Accepted[], today: string): string[] {
  return entries.flatMap(({ requirement, verdict = 'failed', until }) => {
    const seen = items.find(({ id }) => id === requirement)?.verdict ?? 'absent';
    if (seen !== verdict)
      return `The baseline accepts ${verdict} for ${requirement}, which is ${seen} now. Take the entry out.`;
    if (until < today)
      return `The baseline accepted ${requirement} until ${until}. Have it fixed, or accept it again.`;
    return [];
  });
}

/** The outcome of what is left; accepted where nothing is, and something was. */
export function gateOutcome(
  { outcome }: Pick<Report, 'outcome'>,
  left: readonly Item[],
  accepted: Gate['accepted'],
  faults: readonly string[],
): Gate['outcome'] {
  if (outcome === 'error') return 'error';
  if (faults.length > 0) return 'nonconformant';
  const ofLeft = outcomeOf(left, []);
  if (ofLeft !== 'conformant') return ofLeft;
  return accepted.length > 0 ? 'accepted' : outcome;
}

/** How much of what failed is accepted, as the end of a sentence. */
function acceptanceOf(failed: number, accepted: Gate['accepted']): string {
  const count = accepted.filter(({ verdict }) => verdict === 'failed').length;
  if (count === 0) return '';
  return count === failed ? ', which the baseline accepts' : `, of which the baseline accepts ${count}`;
}
