/** The clients, and the readers of feeds, that examinations are proved on. */

interface Row<Behaviour> {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the client". */
  summary: string;
  behaviour: Behaviour;
  /** Each rule that must be found broken, of a permitted one: with a warning; and what is to be said of it. */
  finds: Readonly<Record<string, RegExp>>;
  /** What the last cell says. */
  also: string;
}

/**
 * The rows `name | summary | rule: what it says ; rule: what it says | also` of a table, each with its behaviour. Throws Error
 * where one is missing.
 */
export function rowsIn<Behaviour>(
  table: string,
  behaviours: Readonly<Record<string, Behaviour>>,
): Row<Behaviour>[] {
  const rows = table.trim().split('\n');
  const cells = rows.map((row) => row.split(/ \|(?= )/).map((cell) => cell.trim()));
  const names = cells.map(([name = '']) => name);
  const odd = [...names, ...Object.keys(behaviours)].find(
    (name) => !names.includes(name) || !behaviours[name],
  );
  if (odd !== undefined) throw new Error(`${odd} has no behaviour, or no row.`);
  return cells.map(([name = '', summary = '', finds = '', also = '']) => ({
    ...{ name, summary, behaviour: behaviours[name] as Behaviour, also },
    finds: Object.fromEntries(
      finds.split(' ; ').flatMap((one) => {
        const [, rule, says = ''] = /^([\w-]+): (.*)$/.exec(one) ?? [];
        return rule === undefined ? [] : [[rule, new RegExp(says)]];
      }),
    ),
  }));
}

/** Rows of those that an examination must catch; `also` has other rules that the one mistake may break. */
export const wrongIn = <Behaviour>(...rows: Parameters<typeof rowsIn<Behaviour>>) =>
  rowsIn(...rows).map((row) => ({ ...row, also: row.also.split(' ').filter(Boolean) }));
