/** What a contract declares about an operation that takes a file (`x-upload`). */
import type { Answer } from './answers.ts';

/** The conditions of its answers: `x-response-when`. */
export const CONDITIONS = [
  'valid-upload',
  'invalid-upload',
  'missing-token',
  'malformed-token',
  'unknown-token',
  'expired-token',
] as const;
export type Condition = (typeof CONDITIONS)[number];

export const UPLOAD_KINDS = ['tle', 'avoidance-log'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

export interface Upload {
  kind: UploadKind;
  /** The form field that holds the file. */
  field: string;
  /** The file has to be shorter than this. */
  bytes: number;
  answers: Readonly<Record<Condition, Answer>>;
}

/** Why an `x-upload` is invalid, as a sentence; undefined if it is valid. */
export function uploadProblem(declared: unknown, operation: string): string | undefined {
  const { kind, field, bytes } = (declared ?? {}) as Partial<Upload>;
  if (!operation.startsWith('upload'))
    return `the operation "${operation}" takes files. Give it an operationId that begins with "upload".`;
  if (!UPLOAD_KINDS.includes(kind as UploadKind))
    return `x-upload of ${operation} has the kind "${kind}". Valid kinds are ${UPLOAD_KINDS.join(' and ')}.`;
  if (typeof field !== 'string' || field === '' || !Number.isInteger(bytes) || Number(bytes) < 1)
    return `x-upload of ${operation} lacks the name of a field or a number of bytes. Write both.`;
  return undefined;
}
