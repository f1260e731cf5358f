/** The verdicts of all that a proof judges, in one file: a change that should keep them all is compared with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../tests/support/usage-error.ts';

/** By `<kind> <name>`, as `deployment data-without-token`: the outcome and the verdicts, as `verdictsOf` writes them. */
export type Verdicts = Map<string, string>;

/** The ids by their verdict, without those that passed: `nonconformant: failed MRS-1.3 MRS-5.5a; could-not-run MRS-7a`. */
export function verdictsOf(outcome: string, judged: readonly { id: string; verdict: string }[]): string {
  const idsWith = (verdict: string) => judged.flatMap((row) => (row.verdict === verdict ? row.id : []));
  const others = [...new Set(judged.map(({ verdict }) => verdict))].filter((verdict) => verdict !== 'passed');
  const named = others.sort().map((verdict) => `${verdict} ${idsWith(verdict).join(' ')}`);
  return [outcome, named.join('; ')].filter(Boolean).join(': ');
}

/** Replaces the file: a line for each name, sorted, so that two versions of it can be compared line by line. */
export function writeVerdicts(file: string, verdicts: Verdicts): void {
  const lines = [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
}

/** Throws UsageError if there is no such file, or if it is not one that `writeVerdicts` wrote. */
export function readVerdicts(file: string): Verdicts {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>));
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read as verdicts (${(error as Error).message}). Write it with --write-verdicts.`,
    );
  }
}

/** A sentence for each name whose verdicts differ; a name that was not judged counts only in a `whole` proof. */
export function differences(expected: Verdicts, seen: Verdicts, isWhole: boolean): string[] {
  const names = new Set([...seen.keys(), ...(isWhole ? expected.keys() : [])]);
  return [...names]
    .map((name) => [name, expected.get(name) ?? 'none', seen.get(name) ?? 'none'] as const)
    .filter(([, before, now]) => before !== now)
    .map(([name, before, now]) => `${name}: the verdicts differ. Before: ${before}. Now: ${now}.`);
}
