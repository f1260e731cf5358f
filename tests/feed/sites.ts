/** Where instruments stand, known by the beginning of their id. */
import type { Site } from './contract.ts';

/** How far from where it stands, by the larger of latitude and longitude, and in height. */
export interface Misplacement {
  degrees: number;
  metres: number;
}

export function createSites(sites: readonly Site[]): (siteId: string) => Site | undefined {
  const longestFirst = sites
    .map((site) => ({ site, id: site.id.toLowerCase() }))
    .sort((a, b) => b.id.length - a.id.length);
  const known = new Map<string, Site | undefined>();
  return (siteId) => {
    if (known.has(siteId)) return known.get(siteId);
    const id = siteId.slice(0, MOST_CHARACTERS).toLowerCase();
    // What follows may name the configuration, as in vla_D; a letter makes it another word.
    const site = longestFirst.find(
      (one) => id.startsWith(one.id) && !/^\p{L}/u.test(id.slice(one.id.length)),
    )?.site;
    if (known.size < MOST_KNOWN && siteId.length <= MOST_CHARACTERS) known.set(siteId, site);
    return site;
  };
}

const MOST_KNOWN = 1000;
const MOST_CHARACTERS = 200;

export function misplacementOf(site: Site, latDeg: number, lonDeg: number, elM: number): Misplacement {
  const lon = Math.abs(lonDeg - site.lonDeg) % 360;
  return {
    degrees: Math.max(Math.abs(latDeg - site.latDeg), Math.min(lon, 360 - lon)),
    metres: Math.abs(elM - site.elM),
  };
}
