/** The clients, and the readers of feeds, that examinations are proved on. */
import type { Parts } from './client.ts';
import type { ReaderParts } from './reader/feed-reader.ts';

interface Named {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the client". */
  summary: string;
}

interface Subject extends Named {
  /** How many of it run side by side with the same credentials; default 1. */
  processes?: number;
  behaviour: Partial<Parts>;
}

/** What an examination must find. */
interface Wrong {
  /** Every rule that must be found broken, and what is to be said of it. */
  catches: Record<string, RegExp>;
  /** Rules that may be found broken along with it, because the one mistake is a mistake there too. */
  also: readonly string[];
}

/** A client that is wrong in exactly one way. */
export type WrongClient = Subject & Wrong;

/** What an examination must accept. */
interface Permitted {
  /** Good practice that it does not keep, by rule; without it there are no warnings. */
  warns: Record<string, RegExp>;
}

/** A client that differs from most in a way that is permitted. */
export interface PermittedClient extends Subject, Permitted {
  strategy: 'reactive' | 'proactive' | 'both';
}

interface ReaderSubject extends Named {
  behaviour: Partial<ReaderParts>;
}

export type WrongReader = ReaderSubject & Wrong;
export type PermittedReader = ReaderSubject & Permitted;

/** `rule: what it says ; rule: what it says`, as patterns. */
const patternsIn = (cell: string): Record<string, RegExp> =>
  Object.fromEntries(
    cell.split(' ; ').flatMap((one) => {
      const [, rule, says = ''] = /^([\w-]+): (.*)$/.exec(one) ?? [];
      return rule === undefined ? [] : [[rule, new RegExp(says)]];
    }),
  );

/** The rows of a table, whose first cells are the name and the summary, each with its behaviour. Throws Error where one is missing. */
function subjectsIn<Behaviour extends object, More>(
  table: string,
  behaviours: Readonly<Record<string, Behaviour>>,
  read: (...cells: string[]) => More,
) {
  const rows = table.trim().split('\n');
  const known = new Set(Object.keys(behaviours));
  const subjects = rows.map((row) => {
    const [name = '', summary = '', ...cells] = row.split(' | ').map((cell) => cell.trim());
    const behaviour = behaviours[name];
    if (!behaviour || !known.delete(name)) throw new Error(`${name} has no behaviour, or two rows.`);
    return { name, summary, behaviour, ...read(...cells) };
  });
  if (known.size > 0) throw new Error(`${[...known]} has no row.`);
  return subjects;
}

/** From rows `name | summary | what is caught, as patterns | other rules that may be found broken`. */
export const wrongSubjects = <Behaviour extends object>(
  table: string,
  behaviours: Readonly<Record<string, Behaviour>>,
) =>
  subjectsIn(table, behaviours, (catches = '', also = '') => ({
    catches: patternsIn(catches),
    also: also.split(' ').filter(Boolean),
  }));

/** From rows `name | summary | strategy, and number of processes | warnings, as patterns`; without a strategy: reactive. */
export const permittedClientsIn = (
  table: string,
  behaviours: Readonly<Record<string, Partial<Parts>>>,
): PermittedClient[] =>
  subjectsIn(table, behaviours, (how = '', warns = '') => {
    const [strategy, processes = '1'] = how.split(' ');
    return {
      strategy: (strategy || 'reactive') as PermittedClient['strategy'],
      processes: Number(processes),
      warns: patternsIn(warns),
    };
  });

/** From rows `name | summary | warnings, as patterns`. */
export const permittedReadersIn = (
  table: string,
  behaviours: Readonly<Record<string, Partial<ReaderParts>>>,
): PermittedReader[] => subjectsIn(table, behaviours, (warns = '') => ({ warns: patternsIn(warns) }));
