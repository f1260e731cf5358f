/** Rules about where the instrument of a record is: against what is known, and against the other records. */
import type { Site } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record-rule.ts';
import { createSites, distanceTo } from './sites.ts';

/** A position on Earth, in degrees and metres. */
export interface Place {
  latDeg: number;
  lonDeg: number;
  elM: number;
}

/** The first record of an instrument. */
interface FirstSeen {
  place: Place | undefined;
  placeIndex: number;
  dishM: number | undefined;
  dishIndex: number;
}

export function createSiteRules(sites: readonly Site[], { report, pointerTo }: RecordContext) {
  const siteOf = createSites(sites);
  const firstSeen = new Map<string, FirstSeen>();

  /** Returns whether the instrument is not where it is known to be. */
  function checkKnown(id: string, { latDeg: lat, lonDeg: lon, elM: el }: Place, index: number): boolean {
    const site = siteOf(id);
    if (!site) return false;
    const { degrees, metres } = distanceTo(site, lat, lon, el);
    if (degrees <= 0.01 && metres <= 100) return false;
    if (distanceTo(site, lon, lat, site.elM).degrees <= 1)
      report(
        'swapped-coordinates',
        index,
        'site_lat_deg',
        () => `latitude ${lat} and longitude ${lon} at ${site.id}`,
      );
    const isWrong = degrees > 1 || metres > 500;
    const isHeight = metres > (isWrong ? 500 : 100);
    const seen = () =>
      isHeight
        ? `${quote(id)} at ${el} m; ${site.id} is at ${site.elM} m`
        : `${quote(id)} at ${lat}, ${lon}; ${site.id} is at ${site.latDeg}, ${site.lonDeg}`;
    report('site-position', index, isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
    return true;
  }

  function firstOf(id: string): FirstSeen | undefined {
    const known = firstSeen.get(id);
    if (known || firstSeen.size === MAX_NAMES || !isShort(id)) return known;
    const fresh = { place: undefined, placeIndex: 0, dishM: undefined, dishIndex: 0 };
    firstSeen.set(id, fresh);
    return fresh;
  }

  function comparePlace(id: string, place: Place, first: FirstSeen, index: number): void {
    if (!first.place) {
      first.place = place;
      first.placeIndex = index;
      return;
    }
    const before = first.place;
    const { degrees, metres } = distanceTo({ id, ...before }, place.latDeg, place.lonDeg, place.elM);
    if (degrees <= 0.001 && metres <= 10) return;
    const isWrong = degrees > 0.01 || metres > 100;
    const isHeight = degrees <= (isWrong ? 0.01 : 0.001);
    const at = ({ latDeg, lonDeg, elM }: Place) => (isHeight ? `${elM} m` : `${latDeg}, ${lonDeg}`);
    const seen = () => `${quote(id)} at ${at(place)}; in ${pointerTo(first.placeIndex)} at ${at(before)}`;
    report('one-position', index, isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
  }

  function compareDish(id: string, dishM: unknown, first: FirstSeen, index: number): void {
    // Zero is what a sender writes who does not know it.
    if (typeof dishM !== 'number' || dishM <= 0) return;
    if (first.dishM === undefined) {
      first.dishM = dishM;
      first.dishIndex = index;
      return;
    }
    if (first.dishM === dishM) return;
    const before = `${pointerTo(first.dishIndex)} has ${first.dishM} m`;
    report('one-dish', index, 'dish_diameter_m', () => `${quote(id)} with ${dishM} m; ${before}`);
  }

  return {
    /** Returns where the instrument is; undefined where that is not known, or is wrong. */
    check(record: JsonRecord, index: number): Place | undefined {
      const { site_id: id, site_lat_deg: latDeg, site_lon_deg: lonDeg, site_el_m: el } = record;
      if (typeof id !== 'string') return undefined;
      const first = firstOf(id);
      if (first) compareDish(id, record.dish_diameter_m, first, index);
      if (typeof latDeg !== 'number' || typeof lonDeg !== 'number') return undefined;
      const place = { latDeg, lonDeg, elM: typeof el === 'number' ? el : (siteOf(id)?.elM ?? 0) };
      if (checkKnown(id, place, index)) return undefined;
      if (latDeg === 0 && lonDeg === 0) {
        report('zero-position', index, 'site_lat_deg', () => `${quote(id)} at latitude 0, longitude 0`);
        return undefined;
      }
      if (Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180) return undefined;
      if (first && typeof el === 'number') comparePlace(id, place, first, index);
      return place;
    },
  };
}
