/** What an examination consists of, as it is listed in 80 columns. */
import { wrap } from '../../tests/report/wrap.ts';
import type { Subject } from './select-scenarios.ts';

const INDENT = 30;

export function listOfExamination({ catalogue: { rules }, scenarios, feed }: Subject): string {
  return [
    feed === undefined ? 'Scenarios, each with its token lifetime (MRS_TOKEN_LIFETIME):' : 'Scenarios:',
    ...scenarios.flatMap(({ name, summary, agreedSeconds }) =>
      row(feed === undefined ? `${name} (${agreedSeconds} s)` : name, summary),
    ),
    '',
    feed === undefined ? 'Clauses that bind clients:' : 'What HTTP and the profile require:',
    ...rules.flatMap(({ id, clause, statement }) => (clause ? row(`${clause} ${id}`, statement) : [])),
    '',
    'Good practice, whose violation is a warning:',
    ...rules.flatMap(({ id, clause, statement }) => (clause ? [] : row(id, statement))),
  ].join('\n');
}

function row(name: string, text: string): string[] {
  const lines = wrap(text, 80 - INDENT);
  if (name.length > INDENT - 4) return [`  ${name}`, ...lines.map((line) => ' '.repeat(INDENT) + line)];
  const [first = '', ...rest] = lines;
  return [`  ${name.padEnd(INDENT - 2)}${first}`, ...rest.map((line) => ' '.repeat(INDENT) + line)];
}
