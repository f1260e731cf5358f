/** A client that examinations of clients are proved on. */
import type { Parts } from './client.ts';

export interface Named {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the client". */
  summary: string;
}

export interface Subject extends Named {
  /** How many of it run side by side with the same credentials; default 1. */
  processes?: number;
  behaviour: Partial<Parts>;
}

/** What an examination must find. */
export interface Wrong {
  /** Every rule that must be found broken, and what is to be said of it. */
  catches: Record<string, RegExp>;
  /** Rules that may be found broken along with it, because the one mistake is a mistake there too. */
  also?: readonly string[];
}

/** A client that is wrong in exactly one way. */
export type WrongClient = Subject & Wrong;

/** What an examination must accept. */
export interface Permitted {
  /** Good practice that it does not keep, by rule; without it there are no warnings. */
  warns?: Record<string, RegExp>;
}

/** A client that differs from most in a way that is permitted. */
export interface PermittedClient extends Subject, Permitted {
  strategy: 'reactive' | 'proactive' | 'both';
}
