/** The file of an examination, which is the evidence of its report: it can be judged again. */
import type { Examination } from '../../tests/client/report.ts';
import { guardOf, listOf, objectOf } from '../../tests/support/own-schema.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** The `format` of such a file. */
export const FORMAT = 'mrs-contract examination';
/** Raised when an older file can no longer be judged. */
const VERSION = 1;

/** The file that is written with the report. */
export const examinationFile = (examination: Examination) =>
  ({ name: 'evidence.json', content: { format: FORMAT, version: VERSION, ...examination } }) as const;

const NUMBER = { type: 'number' };
const STRING = { type: 'string' };
/** Members of one kind, by their names. */
const each = (names: string, kind: object) =>
  Object.fromEntries(names.split(' ').map((name) => [name, kind]));

const CALL = objectOf({
  ...each('id startMs endMs atMs status', NUMBER),
  ...each('kind method path target reason', STRING),
  query: listOf(STRING),
  misplaced: { type: 'array' },
});
const TRAFFIC = objectOf({
  name: STRING,
  ...each('agreedSeconds processes durationMs lost', NUMBER),
  lifetimesSeconds: listOf(NUMBER),
  calls: listOf(CALL),
  lives: listOf(objectOf(each('number issuedMs expiresMs', NUMBER))),
});

const isExamined = guardOf<Examination & { format: string; version: number }>(
  objectOf({
    format: { const: FORMAT },
    version: { const: VERSION },
    runs: listOf(
      objectOf({
        summary: STRING,
        state: { enum: ['seen', 'deadline', 'interrupted', 'ended', 'silent'] },
        traffic: TRAFFIC,
      }),
    ),
    ...each('leftOut problems', listOf(STRING)),
    outputs: listOf(objectOf(each('scenario output', STRING))),
    strict: { type: 'boolean' },
    client: objectOf({ processes: NUMBER, command: listOf(STRING) }),
    startedAt: STRING,
    durationMs: NUMBER,
  }),
);

/** The examination in a text that may come from anywhere; `file` names it. Throws UsageError where it is damaged. */
export function foreignExamination(text: string, file: string): Examination {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined; // It has no member of an examination.
  }
  if (!isExamined(content))
    throw new UsageError(
      `The evidence in ${file} is damaged, or was written by another version of mrs. Ask for the page as it was written.`,
    );
  // The judge gets the examination without the members that name the file.
  const { format: _, version: __, ...examination } = content;
  return examination;
}
