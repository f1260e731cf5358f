/** Known instruments, found by the beginning of a record's site_id. */
import type { Site } from '../feed-contract.ts';

/** How far a position is from an instrument: the larger difference of latitude and longitude, and of height. */
export interface Distance {
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

export function distanceTo(site: Site, latDeg: number, lonDeg: number, elM: number): Distance {
  const lon = Math.abs(lonDeg - site.lonDeg) % 360;
  return {
    degrees: Math.max(Math.abs(latDeg - site.latDeg), Math.min(lon, 360 - lon)),
    metres: Math.abs(elM - site.elM),
  };
}
