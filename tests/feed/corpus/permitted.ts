/** Every feed that the judge of feeds must accept, however unlike the others it is. */
import { permittedPractices } from './permitted/practice.ts';
import { permittedSites } from './permitted/sites.ts';
import { permittedSpellings } from './permitted/spelling.ts';
import { permittedTargets } from './permitted/targets.ts';
import type { PermittedFeed } from './subject.ts';

export const permittedFeeds: readonly PermittedFeed[] = [
  ...permittedSpellings,
  ...permittedPractices,
  ...permittedSites,
  ...permittedTargets,
];
