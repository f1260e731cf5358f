/** What an examination consists of, as it is listed in 80 columns. */
import { rules } from '../../tests/client/rules.ts';
import { wrap } from '../../tests/report/wrap.ts';
import { scenarios } from './scenario-catalogue.ts';

const INDENT = 30;

export function listOfExamination(): string {
  return [
    'Scenarios, each with its token lifetime (MRS_TOKEN_LIFETIME):',
    ...scenarios.flatMap(({ name, summary, agreedSeconds }) => row(`${name} (${agreedSeconds} s)`, summary)),
    '',
    'Clauses that bind clients:',
    ...rules.flatMap(({ id, clause, statement }) => (clause ? row(`${clause} ${id}`, statement) : [])),
    '',
    'Good practice, whose violation is a warning:',
    ...rules.flatMap(({ id, clause, statement }) => (clause ? [] : row(id, statement))),
  ].join('\n');
}

function row(name: string, text: string): string[] {
  const [first = '', ...rest] = wrap(text, 80 - INDENT);
  return [`  ${name.padEnd(INDENT - 2)}${first}`, ...rest.map((line) => ' '.repeat(INDENT) + line)];
}
