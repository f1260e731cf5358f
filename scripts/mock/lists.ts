/** What `mrs mock` and `mrs certify` list, in 80 columns. */
import { wrap } from '../../tests/report/text.ts';

interface Named {
  name: string;
  summary: string;
  /** That it requires. */
  profile?: string | undefined;
}

/** A paragraph with what each does; none for an empty list. */
export function listOfNamed(subjects: readonly Named[], title: string): string[] {
  const entries = subjects.flatMap(({ name, summary, profile }) => [
    profile === undefined ? name : `${name} (--profile ${profile})`,
    ...wrap(/[.?]$/.test(summary) ? summary : `${summary}.`, 76).map((line) => `    ${line}`),
  ]);
  return subjects.length === 0 ? [] : [[...wrap(`${subjects.length} ${title}`, 80), ...entries].join('\n')];
}
