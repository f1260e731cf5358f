/** Known instruments, found by the beginning of a record's site_id. */
import type { Site } from '../feed-contract.ts';

/** A position on Earth, in degrees and metres. */
export interface Place {
  latDeg: number;
  lonDeg: number;
  elM: number;
}

/** How far one position is from another: the larger difference of latitude and longitude, and of height. */
export interface Distance {
  degrees: number;
  metres: number;
}

/** The same position, written with other digits, or of another antenna of an array. */
export const isSamePlace = ({ degrees, metres }: Distance): boolean => degrees <= 0.001 && metres <= 10;

export function createSites(sites: readonly Site[]): (siteId: string) => Site | undefined {
  const longestFirst = sites
    .flatMap((site) => [site.id, ...(site.aliases ?? [])].map((id) => ({ site, id: id.toLowerCase() })))
    .sort((a, b) => b.id.length - a.id.length);
  const known = new Map<string, Site | undefined>();
  return (siteId) => {
    if (known.has(siteId)) return known.get(siteId);
    const id = siteId.slice(0, MAX_CHARACTERS).toLowerCase();
    // What follows may name the configuration, as in vla_D; a letter makes it another word.
    const site = longestFirst.find(
      (one) => id.startsWith(one.id) && !/^\p{L}/u.test(id.slice(one.id.length)),
    )?.site;
    if (known.size < MAX_KNOWN && siteId.length <= MAX_CHARACTERS) known.set(siteId, site);
    return site;
  };
}

const MAX_KNOWN = 1000;
const MAX_CHARACTERS = 200;

export function distanceTo(from: Place, to: Place): Distance {
  const lon = Math.abs(to.lonDeg - from.lonDeg) % 360;
  return {
    degrees: Math.max(Math.abs(to.latDeg - from.latDeg), Math.min(lon, 360 - lon)),
    metres: Math.abs(to.elM - from.elM),
  };
}
