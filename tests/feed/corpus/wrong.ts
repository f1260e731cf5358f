/** Every feed that the judge of feeds must report. */
import type { WrongFeed } from './subject.ts';
import { wrongBodies } from './wrong/body.ts';
import { wrongFields } from './wrong/fields.ts';
import { wrongLists } from './wrong/lists.ts';
import { wrongPlaces } from './wrong/places.ts';
import { wrongValues } from './wrong/values.ts';

export const wrongFeeds: readonly WrongFeed[] = [
  ...wrongBodies,
  ...wrongFields,
  ...wrongValues,
  ...wrongPlaces,
  ...wrongLists,
];
