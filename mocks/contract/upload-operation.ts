/** What a contract says of an operation that takes a file (`x-upload`). */
import type { Answer } from './answers.ts';

/** On which an answer is owed: `x-owed-when`. */
export const CONDITIONS = [
  ...(['valid-upload', 'invalid-upload'] as const),
  ...(['missing-token', 'malformed-token', 'unknown-token', 'expired-token'] as const),
];
export type Condition = (typeof CONDITIONS)[number];

export interface Upload {
  kind: 'tle' | 'avoidance-log';
  /** Of the form, in which the file is. */
  field: string;
  /** The file has to be shorter. */
  bytes: number;
  answers: Readonly<Record<Condition, Answer>>;
}
