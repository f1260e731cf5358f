/** The clients, and the readers of feeds, that examinations are proved on. */
import type { Parts } from './client.ts';
import type { ReaderParts } from './reader/feed-reader.ts';

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

interface ReaderSubject extends Named {
  behaviour: Partial<ReaderParts>;
}

export type WrongReader = ReaderSubject & Wrong;
export type PermittedReader = ReaderSubject & Permitted;

/** The rows of a table by name. */
export const named = <Row extends Named>(rows: Readonly<Record<string, Omit<Row, 'name'>>>): Row[] =>
  Object.entries(rows).map(([name, row]) => ({ name, ...row }) as Row);
