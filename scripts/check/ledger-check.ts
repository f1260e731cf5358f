/** What is wrong with the ledger, tests/requirements.yaml. */
import type { Kind, Need, Passive, Requirement } from '../../tests/support/requirements.ts';
import { SEVERITIES } from '../../tests/support/verdict.ts';
import { asMembers, isText } from './json-members.ts';

const JUDGED = ['server', 'interpretation'] as const;
/** Declared points are in profiles. */
const KINDS = [...JUDGED, 'client', 'open', 'not-observable'] as const satisfies Kind[];

interface Column {
  /** The kinds of rows that have it; no other row may. */
  of: readonly string[];
  isOptional?: true;
  /** Any text, if absent. */
  values?: readonly string[];
}

const COLUMNS: Record<string, Column> = {
  statement: { of: KINDS },
  reading: { of: ['interpretation'] },
  reason: { of: ['not-observable'] },
  needs: { of: JUDGED, isOptional: true, values: ['token-response', 'token', 'data'] satisfies Need[] },
  passive: { of: JUDGED, isOptional: true, values: ['usual', 'occasional'] satisfies Passive[] },
  severity: { of: JUDGED, values: SEVERITIES },
  violation: { of: JUDGED },
  advice: { of: JUDGED },
  // An open point binds no deployment, so none can leave it out.
  about: { of: KINDS.filter((kind) => kind !== 'open'), isOptional: true, values: ['tokens'] },
};

/** Faults of the rows, one by one and in their order. */
export function ledgerFaults(ledger: unknown): string[] {
  if (!Array.isArray(ledger) || ledger.length === 0)
    return ['tests/requirements.yaml#: the ledger is not a list of rows. Write one row for each statement.'];
  return ledger.flatMap((row, index) => [
    ...rowFaults(asMembers(row)).map((sentence) => `tests/requirements.yaml#/${index}${sentence}`),
    ...orderFaults(ledger, index).map((sentence) => `tests/requirements.yaml#/${index}/id: ${sentence}`),
  ]);
}

function rowFaults({ id, clause, kind, ...columns }: Record<string, unknown>): string[] {
  const faults: string[] = [];
  if (typeof clause !== 'string' || !/^\d+(\.\d+)*$/.test(clause))
    faults.push(
      `/clause: ${JSON.stringify(clause)} is not a clause. Write its number in quotes, such as "4.1".`,
    );
  else if (!new RegExp(`^MRS-${clause.replaceAll('.', '\\.')}(\\.\\d+)?[a-z]?$`).test(String(id)))
    faults.push(
      `/id: ${JSON.stringify(id)} is not an id of clause ${clause}. Write MRS-${clause}, a further number where the ` +
        'clause has none of its own, and a letter where one number holds several statements.',
    );
  const known: readonly unknown[] = KINDS;
  if (!known.includes(kind))
    return [...faults, `/kind: ${JSON.stringify(kind)} is not a kind. Write one of ${KINDS.join(', ')}.`];
  for (const name of new Set([...Object.keys(COLUMNS), ...Object.keys(columns)])) {
    const { of = [], isOptional, values } = COLUMNS[name] ?? {};
    const value = columns[name];
    const where = `/${name}: a row of the kind "${kind}"`;
    if (value === undefined && (isOptional || !of.includes(String(kind)))) continue;
    if (!of.includes(String(kind))) faults.push(`${where} has no ${name}. Remove it, or correct the kind.`);
    else if (values ? !values.includes(String(value)) : !isText(value))
      faults.push(
        `${where} has "${name}": write ${values ? `one of ${values.join(', ')}` : 'it as a text'}.`,
      );
  }
  return faults;
}

function orderFaults(ledger: unknown[], index: number): string[] {
  const id = idOf(ledger[index]);
  const earlier = ledger.slice(0, index).map(idOf);
  if (earlier.includes(id)) return [`${id} is the id of an earlier row too. Give each row its own.`];
  const passed = earlier.find((one) => comesBefore(id, one));
  return passed ? [`${id} is after ${passed}. Put the rows in the specification's order.`] : [];
}

/** A section's own statements may be before and after its numbered ones: 5a, 5.1, 5b. */
function comesBefore(id: string, other: string): boolean {
  const [one, another] = [id, other].map((text) => ({
    numbers: (text.match(/\d+/g) ?? []).map(Number),
    letter: text.match(/[a-z]$/)?.[0] ?? '',
  })) as [Parts, Parts];
  const depth = Math.min(one.numbers.length, another.numbers.length);
  for (let at = 0; at < depth; at++)
    if (one.numbers[at] !== another.numbers[at]) return Number(one.numbers[at]) < Number(another.numbers[at]);
  return one.numbers.length === another.numbers.length && one.letter < another.letter;
}

interface Parts {
  numbers: number[];
  letter: string;
}

const idOf = (row: unknown): string => String(asMembers(row).id);

/** Where the specification, given as Markdown, marks more as "not shown" than the ledger has open rows for. */
export function notShownFaults(specification: string, ledger: readonly Requirement[]): string[] {
  const marks = new Map<string, number[]>();
  const headings: string[] = [];
  for (const [index, line] of specification.split('\n').entries()) {
    const heading = line.match(/^#+ (\d+(?:\.\d+)*)\.? /)?.[1];
    if (heading) headings.push(heading);
    if (!line.includes('not shown')) continue;
    const section = headings.at(-1) ?? '';
    marks.set(section, [...(marks.get(section) ?? []), index + 1]);
  }
  const sectionOf = (clause: string) =>
    headings
      .filter((heading) => `${clause}.`.startsWith(`${heading}.`))
      .sort((a, b) => b.length - a.length)[0];
  return [...marks].flatMap(([section, lines]) => {
    const open = ledger.filter((row) => row.kind === 'open' && sectionOf(row.clause) === section);
    if (open.length >= lines.length) return [];
    const where = section ? `section ${section}` : 'no numbered section';
    return (
      `tests/requirements.yaml#: the specification says "not shown" in ${where} on ${lines.length} lines ` +
      `(${lines.join(', ')}), and the ledger has ${open.length} open rows for it. Add what is missing.`
    );
  });
}
