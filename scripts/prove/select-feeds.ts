/** Which feeds a proof is about. */
import { permittedFeeds } from '../../tests/feed/corpus/permitted.ts';
import type { FeedSubject, PermittedFeed, WrongFeed } from '../../tests/feed/corpus/subject.ts';
import { wrongFeeds } from '../../tests/feed/corpus/wrong.ts';

export interface FeedSelection {
  wrong: readonly WrongFeed[];
  permitted: readonly PermittedFeed[];
}

/** Those with these names, or all if there is none. */
export function selectFeeds(names: readonly string[]): FeedSelection {
  const chosen = ({ name }: FeedSubject) => names.length === 0 || names.includes(name);
  return { wrong: wrongFeeds.filter(chosen), permitted: permittedFeeds.filter(chosen) };
}

/** One of the body, of a field, of a record and of the list, and some that are permitted. */
const SAMPLE = [
  'feed-html-type',
  'feed-digit-string',
  'feed-megahertz',
  'feed-start-slides',
  'feed-plain',
  'feed-erratic-target',
  'feed-legacy-agreed',
];

/** A fixed part of the proof. */
export const sampleFeeds = (): FeedSelection => selectFeeds(SAMPLE);
