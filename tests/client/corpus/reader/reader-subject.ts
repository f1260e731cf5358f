/** A reader of a feed that examinations of readers are proved on. */
import type { Named, Permitted, Wrong } from '../subject.ts';
import type { ReaderParts } from './feed-reader.ts';

interface ReaderSubject extends Named {
  behaviour: Partial<ReaderParts>;
}

export type WrongReader = ReaderSubject & Wrong;
export type PermittedReader = ReaderSubject & Permitted;
