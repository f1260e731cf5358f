/** Rules about where the instrument of a record is: against what is known, and against the other records. */
import type { Site } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record.ts';

/** A position on Earth, in degrees and metres. */
interface Position {
  latDeg: number;
  lonDeg: number;
  elM: number;
}

/** Where the instrument of a record is. */
export interface Place extends Position {
  /** Whether it is known to be one dish, which points one way at a time. */
  isSingleDish: boolean;
}

/** How far one position is from another: the larger difference of latitude and longitude, and of height. */
interface Distance {
  degrees: number;
  metres: number;
}

/** The first record of an instrument. */
interface FirstSeen {
  place?: Position;
  placeIndex: number;
  dishM?: number;
  dishIndex: number;
}

/** Between the surface, the effective and the rounded diameter of a dish. */
const DISH_FACTOR = 1.25;

/** The rules return where the instrument is; undefined where that is not known, or is wrong. */
export function createSiteRules(
  sites: readonly Site[],
  context: RecordContext,
): (record: JsonRecord) => Place | undefined {
  const { report, pointerTo } = context;
  const siteOf = createSites(sites);
  const firstSeen = new Map<string, FirstSeen>();
  /** The first record of each name, in small letters. */
  const spellings = new Map<string, { id: string; place: Position; index: number }>();

  /** Reports an instrument that is not where it is known to be. Returns how far it is off. */
  function checkKnown(id: string, place: Position): 'wrong' | 'off' | undefined {
    const site = siteOf(id);
    if (!site) return undefined;
    const { latDeg: lat, lonDeg: lon, elM: el } = place;
    const { degrees, metres } = distanceTo(site, place);
    if (degrees <= 0.01 && metres <= 100) return undefined;
    if (distanceTo(site, { latDeg: lon, lonDeg: lat, elM: el }).degrees <= 1)
      report('swapped-coordinates', 'site_lat_deg', `latitude ${lat} and longitude ${lon} at ${site.id}`);
    const isWrong = degrees > 1 || metres > 500;
    const isHeight = degrees <= (isWrong ? 1 : 0.01);
    const other = siteAt(place)?.id;
    const whose = other === undefined ? '' : `, which is the position of ${other}`;
    const seen = isHeight
      ? `${quote(id)} at ${el} m; ${site.id} is at ${site.elM} m`
      : `${quote(id)} at ${lat}, ${lon}${whose}; ${site.id} is at ${site.latDeg}, ${site.lonDeg}`;
    report('site-position', isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
    return isWrong ? 'wrong' : 'off';
  }

  const siteAt = (place: Position): Site | undefined =>
    sites.find((site) => isSamePlace(distanceTo(site, place)));

  /** Compares a name that is new in the feed with the names of what is at its place. */
  function checkName(id: string, place: Position): void {
    const site = siteOf(id) || id.trim() === '' ? undefined : siteAt(place);
    if (site) {
      const seen = `${quote(id)} is at the position of ${site.id}; are both names of one instrument?`;
      report('site-position', 'site_id', seen, 'H');
    }
    const lowerCase = id.toLowerCase();
    const before = spellings.get(lowerCase);
    if (before === undefined) spellings.set(lowerCase, { id, place, index: context.index });
    else if (isSamePlace(distanceTo(before.place, place))) {
      const seen = `site_id is ${quote(id)}, but ${quote(before.id)} in ${pointerTo(before.index)}`;
      report('identifier', 'site_id', seen, 'H');
    }
  }

  function firstOf(id: string): FirstSeen | undefined {
    const known = firstSeen.get(id);
    if (known || firstSeen.size === MAX_NAMES || !isShort(id)) return known;
    const fresh = { placeIndex: 0, dishIndex: 0 };
    firstSeen.set(id, fresh);
    return fresh;
  }

  function comparePlace(id: string, place: Position, first: FirstSeen): void {
    if (!first.place) {
      checkName(id, place);
      first.place = place;
      first.placeIndex = context.index;
      return;
    }
    const distance = distanceTo(first.place, place);
    if (isSamePlace(distance)) return;
    const { degrees, metres } = distance;
    const isWrong = degrees > 0.01 || metres > 100;
    const isHeight = degrees <= (isWrong ? 0.01 : 0.001);
    const at = ({ latDeg, lonDeg, elM }: Position) => (isHeight ? `${elM} m` : `${latDeg}, ${lonDeg}`);
    const seen = `${quote(id)} at ${at(place)}; in ${pointerTo(first.placeIndex)} at ${at(first.place)}`;
    report('one-position', isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
  }

  function compareDish(id: string, dishM: unknown, first: FirstSeen): void {
    // Zero is what a sender writes who does not know it.
    if (typeof dishM !== 'number' || dishM <= 0) return;
    const known = siteOf(id)?.dishM ?? dishM;
    let other: string | undefined;
    if (dishM > known * DISH_FACTOR || dishM * DISH_FACTOR < known)
      other = `${siteOf(id)?.id} has ${known} m`;
    else if (first.dishM === undefined) {
      first.dishM = dishM;
      first.dishIndex = context.index;
    } else if (first.dishM !== dishM) other = `${pointerTo(first.dishIndex)} has ${first.dishM} m`;
    if (other !== undefined) report('one-dish', 'dish_diameter_m', `${quote(id)} with ${dishM} m; ${other}`);
  }

  return (record) => {
    const { site_id: id, site_lat_deg: latDeg, site_lon_deg: lonDeg, site_el_m: el } = record;
    if (typeof id !== 'string') return undefined;
    const first = firstOf(id);
    if (first) compareDish(id, record.dish_diameter_m, first);
    if (typeof latDeg !== 'number' || typeof lonDeg !== 'number') return undefined;
    const site = siteOf(id);
    const elM = typeof el === 'number' ? el : (site?.elM ?? 0);
    const place = { latDeg, lonDeg, elM, isSingleDish: site?.isSingleDish === true };
    const error = checkKnown(id, place);
    if (error === 'wrong') return undefined;
    if (latDeg === 0 && lonDeg === 0) {
      report('zero-position', 'site_lat_deg', `${quote(id)} at latitude 0, longitude 0`);
      return undefined;
    }
    if (Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180) return undefined;
    if (first && typeof el === 'number') comparePlace(id, place, first);
    return error ? undefined : place;
  };
}

/** Finds known instruments by the beginning of a record's site_id. */
function createSites(sites: readonly Site[]): (siteId: string) => Site | undefined {
  const longestFirst = sites
    .flatMap((site) => [site.id, ...(site.aliases ?? [])].map((id) => ({ site, id: id.toLowerCase() })))
    .sort((a, b) => b.id.length - a.id.length);
  const known = new Map<string, Site | undefined>();
  return (siteId) => {
    if (known.has(siteId)) return known.get(siteId);
    const id = siteId.slice(0, 200).toLowerCase();
    // What follows may name the configuration, as in vla_D; a letter makes it another word.
    const site = longestFirst.find(
      (one) => id.startsWith(one.id) && !/^\p{L}/u.test(id.slice(one.id.length)),
    )?.site;
    if (known.size < MAX_NAMES && isShort(siteId)) known.set(siteId, site);
    return site;
  };
}

/** The same position, written with other digits, or of another antenna of an array. */
const isSamePlace = ({ degrees, metres }: Distance): boolean => degrees <= 0.001 && metres <= 10;

function distanceTo(from: Position, to: Position): Distance {
  const lon = Math.abs(to.lonDeg - from.lonDeg) % 360;
  return {
    degrees: Math.max(Math.abs(to.latDeg - from.latDeg), Math.min(lon, 360 - lon)),
    metres: Math.abs(to.elM - from.elM),
  };
}
