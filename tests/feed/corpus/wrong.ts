/** Every feed that the judge of feeds must report. */
import type { WrongFeed } from './subject.ts';
import { wrongBands } from './wrong/bands.ts';
import { wrongBodies } from './wrong/body.ts';
import { wrongFields } from './wrong/fields.ts';
import { wrongIdentifiers } from './wrong/identifiers.ts';
import { wrongLists } from './wrong/lists.ts';
import { wrongNames } from './wrong/names.ts';
import { wrongPlaces } from './wrong/places.ts';
import { wrongTimes } from './wrong/times.ts';
import { wrongValues } from './wrong/values.ts';

export const wrongFeeds: readonly WrongFeed[] = [
  ...wrongBodies,
  ...wrongFields,
  ...wrongTimes,
  ...wrongIdentifiers,
  ...wrongValues,
  ...wrongBands,
  ...wrongNames,
  ...wrongPlaces,
  ...wrongLists,
];
