/** Rules about where the instrument of a record is: against what is known, and against the other records. */
import type { Site } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record-rule.ts';
import { createSites, distanceTo, isSamePlace, type Place } from './sites.ts';

/** The first record of an instrument. */
interface FirstSeen {
  place: Place | undefined;
  placeIndex: number;
  dishM: number | undefined;
  dishIndex: number;
}

/** Between the surface, the effective and the rounded diameter of a dish. */
const DISH_FACTOR = 1.25;

export function createSiteRules(sites: readonly Site[], { report, pointerTo }: RecordContext) {
  const siteOf = createSites(sites);
  const firstSeen = new Map<string, FirstSeen>();
  /** The first record of each name, in small letters. */
  const spellings = new Map<string, { id: string; place: Place; index: number }>();

  /** Reports an instrument that is not where it is known to be. Returns how far it is off. */
  function checkKnown(id: string, place: Place, index: number): 'wrong' | 'off' | undefined {
    const site = siteOf(id);
    if (!site) return undefined;
    const { latDeg: lat, lonDeg: lon, elM: el } = place;
    const { degrees, metres } = distanceTo(site, place);
    if (degrees <= 0.01 && metres <= 100) return undefined;
    if (distanceTo(site, { latDeg: lon, lonDeg: lat, elM: el }).degrees <= 1)
      report(
        'swapped-coordinates',
        index,
        'site_lat_deg',
        () => `latitude ${lat} and longitude ${lon} at ${site.id}`,
      );
    const isWrong = degrees > 1 || metres > 500;
    const isHeight = degrees <= (isWrong ? 1 : 0.01);
    const seen = () =>
      isHeight
        ? `${quote(id)} at ${el} m; ${site.id} is at ${site.elM} m`
        : `${quote(id)} at ${lat}, ${lon}${whose(place)}; ${site.id} is at ${site.latDeg}, ${site.lonDeg}`;
    report('site-position', index, isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
    return isWrong ? 'wrong' : 'off';
  }

  const siteAt = (place: Place): Site | undefined =>
    sites.find((site) => isSamePlace(distanceTo(site, place)));

  function whose(place: Place): string {
    const site = siteAt(place);
    return site ? `, which is the position of ${site.id}` : '';
  }

  /** Compares a name that is new in the feed with the names of what is at its place. */
  function checkName(id: string, place: Place, index: number): void {
    const site = siteOf(id) || id.trim() === '' ? undefined : siteAt(place);
    if (site)
      report(
        'site-position',
        index,
        'site_id',
        () => `${quote(id)} is at the position of ${site.id}; are both names of one instrument?`,
        'H',
      );
    const lowerCase = id.toLowerCase();
    const before = spellings.get(lowerCase);
    if (before === undefined) spellings.set(lowerCase, { id, place, index });
    else if (isSamePlace(distanceTo(before.place, place)))
      report(
        'identifier',
        index,
        'site_id',
        () => `site_id is ${quote(id)}, but ${quote(before.id)} in ${pointerTo(before.index)}`,
        'H',
      );
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
      checkName(id, place, index);
      first.place = place;
      first.placeIndex = index;
      return;
    }
    const before = first.place;
    const distance = distanceTo(before, place);
    if (isSamePlace(distance)) return;
    const { degrees, metres } = distance;
    const isWrong = degrees > 0.01 || metres > 100;
    const isHeight = degrees <= (isWrong ? 0.01 : 0.001);
    const at = ({ latDeg, lonDeg, elM }: Place) => (isHeight ? `${elM} m` : `${latDeg}, ${lonDeg}`);
    const seen = () => `${quote(id)} at ${at(place)}; in ${pointerTo(first.placeIndex)} at ${at(before)}`;
    report('one-position', index, isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
  }

  function compareDish(id: string, dishM: unknown, first: FirstSeen, index: number): void {
    // Zero is what a sender writes who does not know it.
    if (typeof dishM !== 'number' || dishM <= 0) return;
    const known = siteOf(id)?.dishM ?? dishM;
    if (dishM > known * DISH_FACTOR || dishM * DISH_FACTOR < known) {
      report(
        'one-dish',
        index,
        'dish_diameter_m',
        () => `${quote(id)} with ${dishM} m; ${siteOf(id)?.id} has ${known} m`,
      );
      return;
    }
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
      const error = checkKnown(id, place, index);
      if (error === 'wrong') return undefined;
      if (latDeg === 0 && lonDeg === 0) {
        report('zero-position', index, 'site_lat_deg', () => `${quote(id)} at latitude 0, longitude 0`);
        return undefined;
      }
      if (Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180) return undefined;
      if (first && typeof el === 'number') comparePlace(id, place, first, index);
      return error ? undefined : place;
    },
  };
}
