/** Rules about where a record points and where its instrument is. */
import type { Site } from './feed-contract.ts';
import { type Location, quote } from './findings.ts';
import type { JsonRecord, RecordContext } from './record-rule.ts';
import { createSites, distanceTo } from './sites.ts';

/** Fewer different right ascensions than these may all be below 24 degrees by chance. */
const MIN_ASCENSIONS = 5;

export function createPositionRules(sites: readonly Site[], { report, locationOf }: RecordContext) {
  const siteOf = createSites(sites);
  const ascensions = new Set<number>();
  let ascensionCount = 0;
  let areAllHours = true;
  let first: (() => Location) | undefined;

  function checkTarget({ src_ra_j2000_deg: ra, src_dec_j2000_deg: dec }: JsonRecord, index: number): void {
    if (typeof ra !== 'number') return;
    ascensionCount++;
    if (ra >= 24 || ra < 0) areAllHours = false;
    first ??= locationOf(
      index,
      'src_ra_j2000_deg',
      () => `all ${ascensionCount} right ascensions are below 24`,
    );
    if (ascensions.size < MIN_ASCENSIONS) ascensions.add(ra);
    if (typeof dec === 'number' && Math.abs(dec) > 90 && Math.abs(ra) <= 90)
      report(
        'swapped-coordinates',
        index,
        'src_dec_j2000_deg',
        () => `declination ${dec} with right ascension ${ra}`,
      );
  }

  function checkSite(record: JsonRecord, index: number): void {
    const { site_id: id, site_lat_deg: lat, site_lon_deg: lon, site_el_m: el } = record;
    if (typeof id !== 'string') return;
    const site = siteOf(id);
    if (!site || typeof lat !== 'number' || typeof lon !== 'number') return;
    const { degrees, metres } = distanceTo(site, lat, lon, typeof el === 'number' ? el : site.elM);
    if (degrees <= 0.01 && metres <= 100) return;
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
  }

  return {
    check(record: JsonRecord, index: number): void {
      checkTarget(record, index);
      checkSite(record, index);
    },

    /** Where right ascensions seem to be in hours; to be asked after the last record. */
    hoursForDegrees: (): (() => Location) | undefined =>
      areAllHours && ascensions.size === MIN_ASCENSIONS ? first : undefined,
  };
}
