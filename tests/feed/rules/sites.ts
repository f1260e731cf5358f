/** Rules about where the instrument of a record is: against what is known, and against the other records. */
import type { Site } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { DIGITS } from './fields.ts';
import type { JsonRecord, RecordContext } from './record.ts';

/** Where the instrument of a record is, in degrees and metres. */
export type Place = Pick<Site, 'latDeg' | 'lonDeg' | 'elM' | 'isSingleDish'>;

/** What the rules know of the instrument of a record. */
export interface Instrument {
  /** Of one site under all its names: the known site, or else the record's site_id. */
  key: string;
  /** Undefined where the position is not known, or is not that of the known site. */
  place?: Place;
  /** The known site. */
  site?: Site | undefined;
}

/** A difference of the surface, the effective and the rounded diameter of a dish. */
const DISH_FACTOR = 1.25;

/** The rules return the instrument of a record. */
export function createSiteRules(
  sites: readonly Site[],
  context: RecordContext,
): (record: JsonRecord) => Instrument {
  const { report, pointerTo } = context;
  const siteOf = createSites(sites);
  /** Where the first record of each site_id has it. */
  const firstPlaces = new Map<string, Place & { index: number }>();
  /** The first record of each name, in small letters. */
  const spellings = new Map<string, { id: string; place: Place; index: number }>();

  /** Reports an instrument that is not where it is known to be. Returns how far it is off. */
  function checkKnown(id: string, place: Place, { site, isWhole }: Match): 'wrong' | 'off' | undefined {
    const { latDeg, lonDeg, elM } = place;
    const [degrees, metres] = distance(site, place);
    if (degrees <= (site.extentDeg ?? SITE_DEG) && metres <= 100) return undefined;
    const swapped = `latitude ${latDeg} and longitude ${lonDeg} at ${site.id}`;
    if (distance(site, { latDeg: lonDeg, lonDeg: latDeg, elM })[0] <= 1)
      report('swapped-coordinates', 'site_lat_deg', swapped);
    const isWrong = degrees > 1 || metres > 500;
    const isHeight = degrees <= (isWrong ? 1 : (site.extentDeg ?? SITE_DEG));
    const seen = isHeight
      ? `${quote(id)} at ${elM} m; ${site.id} is at ${site.elM} m`
      : `${quote(id)} at ${latDeg}, ${lonDeg}; ${site.id} is at ${site.latDeg}, ${site.lonDeg}`;
    // A name that only begins as the known one may be another instrument.
    const ruleClass = isWrong && isWhole ? 'D' : 'H';
    report('site-position', isHeight ? 'site_el_m' : 'site_lat_deg', seen, ruleClass);
    return isWrong ? 'wrong' : 'off';
  }

  /** Compares a name that is new in the feed with the names of what is at its place. */
  function checkName(id: string, place: Place): void {
    const site = siteOf(id) || id.trim() === '' || CODE.test(id) ? undefined : siteAt(place);
    const both = `${quote(id)} is at the position of ${site?.id}; are both names of one instrument?`;
    if (site) report('site-position', 'site_id', both, 'H');
    const before = spellings.get(id.toLowerCase());
    if (before === undefined) spellings.set(id.toLowerCase(), { id, place, index: context.index });
    else if (isSamePlace(before.place, place)) {
      const seen = `site_id is ${quote(id)}, but ${quote(before.id)} in ${pointerTo(before.index)}`;
      report('identifier', 'site_id', seen, 'H');
    }
  }

  const siteAt = (place: Place): Site | undefined => sites.find((one) => isSamePlace(one, place));

  /** `dish` is the known site where it is one dish: all its names have one place. */
  function comparePlace(id: string, place: Place, dish: string | undefined): void {
    const first = firstPlaces.get(id) ?? firstPlaces.get(dish ?? id);
    if (!firstPlaces.has(id)) checkName(id, place);
    for (const name of [id, dish ?? id])
      if (!firstPlaces.has(name)) firstPlaces.set(name, { ...place, index: context.index });
    if (!first || isSamePlace(first, place)) return;
    const [degrees, metres] = distance(first, place);
    const isWrong = degrees > 0.01 || metres > 100;
    const isHeight = degrees <= (isWrong ? 0.01 : 0.001);
    const at = ({ latDeg, lonDeg, elM }: Place) => (isHeight ? `${elM} m` : `${latDeg}, ${lonDeg}`);
    const seen = `${quote(id)} at ${at(place)}; in ${pointerTo(first.index)} at ${at(first)}`;
    report('one-position', isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
  }

  /** Where the instrument is, if it is not wrong; `known` is the site that it is known as. */
  function placeOf(id: string, record: JsonRecord, known: Match | undefined): Place | undefined {
    const [latDeg, lonDeg, el] = POSITION.map((name) => numberIn(record[name]));
    if (latDeg === undefined || lonDeg === undefined) return undefined;
    const elM = el ?? known?.site.elM ?? 0;
    const place = { latDeg, lonDeg, elM, isSingleDish: known?.site.isSingleDish === true };
    const error = known && checkKnown(id, place, known);
    if (error === 'wrong') return known?.isWhole ? undefined : { ...place, isSingleDish: false };
    if (latDeg === 0 && lonDeg === 0) {
      report('zero-position', 'site_lat_deg', `${quote(id)} at latitude 0, longitude 0`);
      return undefined;
    }
    if (Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180) return undefined;
    if (el !== undefined) comparePlace(id, place, known?.site.isSingleDish ? known.site.id : undefined);
    return error ? undefined : place;
  }

  return (record) => {
    const { site_id: id, dish_diameter_m: dishM } = record;
    if (typeof id !== 'string') return { key: '' };
    const known = siteOf(id);
    const place = placeOf(id, record, known);
    const isOther = known && !known.isWhole && place && distance(known.site, place)[0] > 1;
    const site = isOther ? undefined : (known?.site ?? (place && siteAt(place)));
    // Zero is what a sender writes who does not know it.
    if (known && site?.dishM !== undefined && typeof dishM === 'number' && dishM > 0)
      if (dishM > site.dishM * DISH_FACTOR || dishM * DISH_FACTOR < site.dishM)
        report('one-dish', 'dish_diameter_m', `${quote(id)} with ${dishM} m; ${site.id} has ${site.dishM} m`);
    return { key: site?.id ?? id, site, ...(place && { place }) };
  };
}

const POSITION = ['site_lat_deg', 'site_lon_deg', 'site_el_m'];

/** The number in a field, which may be text with its digits. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A known site, and whether a site_id is one of its names, or only begins as one. */
interface Match {
  site: Site;
  isWhole: boolean;
}

/** A station code of two letters, or the name of an antenna or pad, such as ea12 and W104: not a name of a site. */
const CODE = /^([a-z]{2}|[a-z]{1,2}\d{1,3})$/i;

/** Of what is not an array of kilometres. */
const SITE_DEG = 0.01;

/** Finds known instruments by the beginning of a record's site_id. */
function createSites(sites: readonly Site[]): (siteId: string) => Match | undefined {
  const longestFirst = sites
    .flatMap((site) => [site.id, ...(site.aliases ?? [])].map((id) => ({ site, id: id.toLowerCase() })))
    .sort((a, b) => b.id.length - a.id.length);
  const known = new Map<string, Match | undefined>();
  return (siteId) => {
    if (known.has(siteId)) return known.get(siteId);
    const id = siteId.slice(0, 200).toLowerCase();
    // What follows may name the configuration, as in vla_D; a letter makes it another word.
    const found = longestFirst.find(
      (one) => id.startsWith(one.id) && !/^\p{L}/u.test(id.slice(one.id.length)),
    );
    const match = found && { site: found.site, isWhole: found.id === id };
    known.set(siteId, match);
    return match;
  };
}

/** The larger difference of latitude and longitude, and that of height. */
function distance(from: Place, to: Place): [degrees: number, metres: number] {
  const lon = Math.abs(to.lonDeg - from.lonDeg) % 360;
  const degrees = Math.max(Math.abs(to.latDeg - from.latDeg), Math.min(lon, 360 - lon));
  return [degrees, Math.abs(to.elM - from.elM)];
}

/** The same position, written with other digits, or of another antenna of an array. */
function isSamePlace(a: Place, b: Place): boolean {
  const [degrees, metres] = distance(a, b);
  return degrees <= 0.001 && metres <= 10;
}
