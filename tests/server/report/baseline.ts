/** Deviations that a person has accepted, for a reason and until a day. They change no verdict. */
import { closest } from 'fastest-levenshtein';
import { parse } from 'yaml';
import {
  endedInWords,
  headlineOf,
  type Item,
  isAccepted,
  isOnlyByBaseline,
  type Report,
  reportSchema,
} from '../../report/report.ts';
import { readBounded, TEXT_BYTES } from '../../support/files.ts';
import { compileOwn, faultIn } from '../../support/own-schema.ts';
import { isBinding, ledger } from '../../support/requirements.ts';
import { UsageError } from '../../support/usage-error.ts';
import { outcomeOf } from '../../support/verdict.ts';

type Gate = NonNullable<Report['baseline']>;

/** An accepted deviation. Its verdict is `failed` if it is left out. */
export type Accepted = Omit<Gate['accepted'][number], 'verdict'> &
  Partial<Pick<Gate['accepted'][number], 'verdict'>>;

/** Reads a baseline, in YAML or JSON. Throws UsageError if the file is not a baseline. */
export function readBaseline(file: string): Accepted[] {
  const entries = parseFile(file);
  const { accepted } = JSON.parse(reportSchema()).$defs.baseline.properties;
  const required = accepted.items.required.filter((name: string) => name !== 'verdict');
  const validate = compileOwn<Accepted[]>({ ...accepted, items: { ...accepted.items, required } });
  if (validate(entries)) return entries.map((entry) => known(entry, file));
  throw new UsageError(`The baseline ${file} is not usable: ${faultIn(validate, 'it')}. Fix it there.`);
}

/** Throws UsageError if the requirement does not exist. A requirement of a profile is an open point, `@` and the name of the profile. */
function known(entry: Accepted, file: string): Accepted {
  const [id = '', profile] = entry.requirement.split('@');
  const ids = ledger.filter((row) => profile !== undefined || isBinding(row)).map((row) => row.id);
  if (ids.includes(id)) return entry;
  throw new UsageError(
    `The baseline ${file} names ${entry.requirement}, which is not a requirement. The nearest is ${closest(id, ids)}.`,
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

/**
 * The report with what the baseline accepts of it; as it is where there is none. `today` is YYYY-MM-DD. A stale or outlived
 * entry shuts the gate as a new failure does.
 */
export function applyBaseline(
  report: Report,
  entries: readonly Accepted[] | undefined,
  today = new Date().toISOString().slice(0, 10),
): Report {
  if (!entries) return report;
  const { items, remarks, headline, tally } = report;
  const entryFor = ({ id, verdict }: Item) =>
    entries.find((entry) => entry.requirement === id && (entry.verdict ?? 'failed') === verdict);
  const accepted = items.flatMap((item) => {
    const entry = entryFor(item);
    return entry ? [{ verdict: 'failed' as const, ...entry }] : [];
  });
  const faults = faultsOf(items, entries, today);
  const left = items.filter((item) => !entryFor(item));
  const outcome = gateOutcome(report, left, accepted, faults);
  const baseline = { outcome, accepted, faults };
  const isOutdated = outcome === 'nonconformant' && isOnlyByBaseline({ items, baseline });
  const withBaseline = { ...report, baseline, remarks: [...faults, ...remarks] };
  const known = items.filter((item) => item.verdict === 'failed' && isAccepted(item, withBaseline));
  const ofKnown = accepted.filter(({ requirement }) => known.some(({ id }) => id === requirement));
  const [why] = isOutdated ? (faults[0] ?? '').split(/\. /) : [];
  const result = [why, headlineOf(report, ofKnown)].filter(Boolean).join('. ');
  return {
    ...withBaseline,
    // A second sentence of the headline stays.
    headline: headline.replace(headlineOf(report), () => result),
    tally: faults.length > 0 ? `${tally}; the baseline is out of date` : tally,
  };
}

function faultsOf(items: readonly Item[], entries: readonly Accepted[], today: string): string[] {
  return entries.flatMap(({ requirement, verdict = 'failed', until }) => {
    const seen = items.find(({ id }) => id === requirement)?.verdict ?? 'absent';
    if (seen !== verdict)
      return `${requirement} is ${seen} now, and the baseline accepts it as ${verdict}. Take the entry out.`;
    return until < today ? endedInWords({ requirement, until }) : [];
  });
}

/** The outcome of the items that the baseline does not accept; `accepted` if no such item is left. */
function gateOutcome(
  { outcome, properties }: Pick<Report, 'outcome' | 'properties'>,
  left: readonly Item[],
  accepted: Gate['accepted'],
  faults: readonly string[],
): Gate['outcome'] {
  if (outcome === 'error') return 'error';
  if (faults.length > 0) return 'nonconformant';
  const ofLeft = outcomeOf(left);
  if (ofLeft !== 'conformant') return ofLeft;
  if (properties.interrupted !== undefined) return 'incomplete';
  return accepted.length > 0 ? 'accepted' : outcome;
}
