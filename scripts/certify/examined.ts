/** What was seen in an examination of a client, as the evidence of its report: it can be judged again. */
import { certificateOf, OF_CLIENTS, type ScenarioRun } from '../../tests/client/judge.ts';
import { feedCatalogue } from '../../tests/client/reader.ts';
import { type Examination, reportOf } from '../../tests/client/report.ts';
import type { Report } from '../../tests/report/report.ts';
import { guardOf } from '../../tests/support/own-schema.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface Examined extends Omit<Examination, 'certificate'> {
  runs: readonly ScenarioRun[];
  /** Names of the scenarios that were not played. */
  leftOut: readonly string[];
  /** The profile of a feed that has no tokens. */
  feed?: string;
}

export const EXAMINATION_FORMAT = 'mrs-contract examination';
/** Raised when an older file can no longer be judged. */
export const EXAMINATION_VERSION = 1;

/** A pure function: the same examination is always judged alike. */
export function reportOn({ runs, leftOut, feed, ...examination }: Examined): Report {
  const catalogue = feed === undefined ? OF_CLIENTS : feedCatalogue(feed);
  return reportOf({ certificate: certificateOf(runs, catalogue, leftOut), ...examination });
}

const NUMBER = { type: 'number' };
const STRING = { type: 'string' };
const STRINGS = { type: 'array', items: STRING };
/** An object with these members, all of them there. */
const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const list = (items: object) => ({ type: 'array', items });

const isExamined = guardOf<Examined>(
  object({
    format: { const: EXAMINATION_FORMAT },
    version: { const: EXAMINATION_VERSION },
    runs: list(
      object({
        summary: STRING,
        state: { enum: ['seen', 'deadline', 'ended', 'silent', 'skipped'] },
        traffic: object({
          name: STRING,
          agreedSeconds: NUMBER,
          lifetimesSeconds: list(NUMBER),
          processes: NUMBER,
          durationMs: NUMBER,
          lost: NUMBER,
          calls: list(
            object({
              id: NUMBER,
              kind: STRING,
              startMs: NUMBER,
              endMs: NUMBER,
              atMs: NUMBER,
              method: STRING,
              path: STRING,
              query: STRINGS,
              target: STRING,
              status: NUMBER,
              reason: STRING,
              misplaced: { type: 'array' },
            }),
          ),
          lives: list(object({ number: NUMBER, issuedMs: NUMBER, expiresMs: NUMBER })),
        }),
      }),
    ),
    leftOut: STRINGS,
    outputs: list(object({ scenario: STRING, output: STRING })),
    strict: { type: 'boolean' },
    client: { ...object({ processes: NUMBER }), properties: { processes: NUMBER, command: STRINGS } },
    startedAt: STRING,
    durationMs: NUMBER,
    problems: STRINGS,
  }),
);

/** The examination in a text that may come from anywhere; `file` names it. Throws UsageError where it is damaged. */
export function foreignExamination(text: string, file: string): Examined {
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
  // What its judge does not know is no part of it.
  const { format: _, version: __, ...examined } = content as Examined & { format: string; version: number };
  return examined;
}
