/** Whether the number of calls is as a test expects, and which clients it means. */
import type { Expectation, Filter, Verified } from '../contract/control-types.ts';
import type { Journal } from '../state/journal.ts';

export function verify(journal: Journal, { atLeast, atMost, ...filter }: Expectation): Verified {
  const found = journal.list(filter);
  const lost = journal.lost(filter.since);
  const least = atLeast ?? (atMost === undefined ? 1 : 0);
  const most = atMost ?? Number.POSITIVE_INFINITY;
  const count = found.length;
  // Calls that the journal no longer holds may have counted, so an upper bound cannot be confirmed.
  const passed = count >= least && count <= most && (lost === 0 || atMost === undefined);
  const bounds = [
    ...(least > 0 ? [`at least ${least}`] : []),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ];
  const earlier = lost === 1 ? '1 earlier exchange is' : `${lost} earlier exchanges are`;
  const missing = lost > 0 ? `, and ${earlier} no longer in the journal` : '';
  return {
    passed,
    count,
    message: `Expected ${bounds.join(' and ') || 'any number'}; seen: ${count}${missing}.`,
    entries: found.slice(-100).map(({ seq }) => seq),
  };
}

/** The clients that a filter names, of which the mock must know each; those that were removed may have calls. */
export const clientsIn = (journal: Journal, { client, token }: Pick<Filter, 'client' | 'token'>): string[] =>
  [client, token?.replace(/#\d+$/, '')].filter(
    (id) => id !== undefined && journal.list({ client: id, limit: 1 }).length === 0,
  ) as string[];
