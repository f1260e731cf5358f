/** What a draft consists of: a statement on an open point, with what was seen of it. */

/** A part of an OpenAPI document or an overlay. */
export type Node = Record<string, unknown>;

export interface Drafted {
  /** Id of the open point. */
  answers: string;
  statement: string;
  /** Number of times. */
  seen: number;
  requests: string[];
}

/** A condition of an open point that is not drafted, and why. */
export interface LeftOut {
  answers: string;
  /** A sentence. */
  reason: string;
}

/** What an overlay writes next to a drafted statement. */
export type Annotate = (one: Drafted) => Node;

/** `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
