/** A client that examinations of clients are proved on. */
import type { Parts } from './client.ts';

export interface Subject {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the client". */
  summary: string;
  /** How many of it run side by side with the same credentials; default 1. */
  processes?: number;
  behaviour: Partial<Parts>;
}

/** A client that is wrong in exactly one way. */
export interface WrongClient extends Subject {
  /** Every rule that must be found broken, and what is to be said of it. */
  catches: Record<string, RegExp>;
  /** Rules that may be found broken along with it, because the one mistake is a mistake there too. */
  also?: readonly string[];
}

/** A client that does otherwise than most, which is permitted. */
export interface PermittedClient extends Subject {
  strategy: 'reactive' | 'proactive' | 'both';
  /** Good practice that it does not keep, by rule; without it there are no warnings. */
  warns?: Record<string, RegExp>;
}
