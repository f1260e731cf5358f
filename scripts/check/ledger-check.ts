/** What is wrong with the ledger, tests/requirements.yaml. */
import type { Kind, Need, Passive, Requirement } from '../../tests/support/requirements.ts';
import { SEVERITIES } from '../../tests/support/verdict.ts';
import { asMembers, isText } from './json-members.ts';

/** The field that a row of each kind has and no other row may have. Declared points are in profiles. */
const fieldOf: Record<Exclude<Kind, 'declared'>, 'reading' | 'reason' | undefined> = {
  server: undefined,
  interpretation: 'reading',
  client: undefined,
  open: undefined,
  'not-observable': 'reason',
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

function rowFaults(row: Record<string, unknown>): string[] {
  const { id, clause, kind, statement } = row;
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
  if (!isText(statement))
    faults.push('/statement: the row has no statement. Say what the specification says.');
  if (typeof kind !== 'string' || !Object.hasOwn(fieldOf, kind))
    return [
      ...faults,
      `/kind: ${JSON.stringify(kind)} is not a kind. Write one of ${Object.keys(fieldOf).join(', ')}.`,
    ];
  const own = fieldOf[kind as keyof typeof fieldOf];
  if (own && !isText(row[own])) faults.push(`/${own}: a row of the kind "${kind}" has a ${own}. Write it.`);
  faults.push(...relationFaults(row), ...violationFaults(row));
  for (const field of Object.keys(row))
    if (![...COLUMNS, own].includes(field))
      faults.push(`/${field}: a row of the kind "${kind}" has no ${field}. Remove it, or correct the kind.`);
  return faults;
}

const OF_VIOLATION = ['violation', 'advice'];
const COLUMNS = [
  'id',
  'clause',
  'kind',
  'statement',
  'needs',
  'about',
  'passive',
  'severity',
  ...OF_VIOLATION,
];

/** Of the columns that reports show of a violation. */
function violationFaults({ kind, ...row }: Record<string, unknown>): string[] {
  const isJudged = kind === 'server' || kind === 'interpretation';
  const { severity } = row;
  if (!isJudged)
    return ['severity', ...OF_VIOLATION].flatMap((name) =>
      row[name] === undefined
        ? []
        : `/${name}: a row of the kind "${kind}" is not judged, so no report shows it. Remove it.`,
    );
  return [
    ...(SEVERITIES.some((one) => one === severity)
      ? []
      : [`/severity: ${JSON.stringify(severity)} is not a severity. Write one of ${SEVERITIES.join(', ')}.`]),
    ...OF_VIOLATION.filter((name) => !isText(row[name])).map(
      (name) => `/${name}: a row of the kind "${kind}" has a sentence for reports here. Write it.`,
    ),
  ];
}

/** Of the columns that relate a requirement to what a run obtains, and to what a deployment may not offer. */
function relationFaults({ kind, needs, about, passive }: Record<string, unknown>): string[] {
  const faults: string[] = [];
  if (needs !== undefined && !NEEDS.includes(String(needs)))
    faults.push(`/needs: ${JSON.stringify(needs)} is not a need. Write one of ${NEEDS.join(', ')}.`);
  if (needs !== undefined && kind !== 'server' && kind !== 'interpretation')
    faults.push(`/needs: a row of the kind "${kind}" is not judged, so it needs nothing. Remove it.`);
  if (about !== undefined && about !== 'tokens')
    faults.push(`/about: ${JSON.stringify(about)} is not a subject. Write tokens, or remove it.`);
  if (passive !== undefined && !PASSIVE.includes(String(passive)))
    faults.push(
      `/passive: ${JSON.stringify(passive)} is not how traffic shows it. Write one of ${PASSIVE.join(', ')}.`,
    );
  if (passive !== undefined && kind !== 'server' && kind !== 'interpretation')
    faults.push(`/passive: a row of the kind "${kind}" is not judged by traffic. Remove it.`);
  if (about !== undefined && kind === 'open')
    faults.push('/about: an open point binds no deployment, so none can leave it out. Remove it.');
  return faults;
}

const PASSIVE: readonly string[] = ['usual', 'occasional'] satisfies Passive[];
const NEEDS: readonly string[] = ['token-response', 'token', 'data'] satisfies Need[];

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
