/** Where sources are: above a site, on the way from one to the next, and by their names. */
import type { Instrument, Site } from './instruments.ts';

/** A position on the sky, in degrees. */
export interface Target {
  raDeg: number;
  decDeg: number;
}

const DAY_MS = 24 * 3600_000;
const RADIAN = Math.PI / 180;
const MINUTE_S = 60;

/** If every right ascension were below this, a reader could mistake degrees for hours. */
const LEAST_RA = 24;
/** How far sources are from the meridian in the middle of their observation, and from the zenith in declination. */
const MOST_HOUR_ANGLE = 20;
const MOST_FROM_ZENITH = 40;
const MOST_DEC = 89;
/** A receiver and a correlator are set up in this time, in seconds. */
const SETUP_S = 5;

const turned = (degrees: number): number => ((degrees % 360) + 360) % 360;
/** From -180 to 180. */
const signed = (degrees: number): number => turned(degrees + 180) - 180;
const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
const within = (least: number, most: number, value: number): number => Math.max(least, Math.min(most, value));

/** The right ascension that culminates at a longitude: the sidereal time there, by its linear part. */
const siderealDeg = (ms: number, lonDeg: number): number =>
  turned(280.46061837 + (360.98564736629 * (ms - Date.UTC(2000, 0, 1, 12))) / DAY_MS + lonDeg);

/** The angle from the meridian to a source, negative in the east. */
export const hourAngleOf = ({ raDeg }: Target, { lonDeg }: Site, ms: number): number =>
  signed(siderealDeg(ms, lonDeg) - raDeg);

/** A source high above the site, as near to this hour angle and declination as such a source can be. */
export function targetAt(site: Site, ms: number, hourAngleDeg: number, decDeg: number): Target {
  const hourAngle = within(-MOST_HOUR_ANGLE, MOST_HOUR_ANGLE, hourAngleDeg);
  const ra = turned(siderealDeg(ms, site.lonDeg) - hourAngle);
  const dec = within(site.latDeg - MOST_FROM_ZENITH, site.latDeg + MOST_FROM_ZENITH, decDeg);
  return {
    raDeg: round(ra < LEAST_RA ? ra + LEAST_RA : ra),
    decDeg: round(within(-MOST_DEC, MOST_DEC, dec)),
  };
}

/** Azimuth and elevation, in degrees. */
function directionOf(target: Target, site: Site, ms: number): [azimuth: number, elevation: number] {
  const [hour, dec, lat] = [hourAngleOf(target, site, ms), target.decDeg, site.latDeg].map(
    (one) => one * RADIAN,
  ) as [number, number, number];
  const height = Math.sin(lat) * Math.sin(dec) + Math.cos(lat) * Math.cos(dec) * Math.cos(hour);
  const azimuth = Math.atan2(
    -Math.sin(hour) * Math.cos(dec),
    Math.sin(dec) * Math.cos(lat) - Math.cos(dec) * Math.sin(lat) * Math.cos(hour),
  );
  return [azimuth / RADIAN, Math.asin(height) / RADIAN];
}

/** How long the dish takes from one source to another, in seconds. Both axes turn at once. */
export function slewSeconds(
  instrument: Instrument,
  site: Site,
  ms: number,
  from: Target,
  to: Target,
): number {
  const [azimuth, elevation] = directionOf(from, site, ms);
  const [toAzimuth, toElevation] = directionOf(to, site, ms);
  const minutes = Math.max(
    Math.abs(signed(toAzimuth - azimuth)) / instrument.azimuthRate,
    Math.abs(toElevation - elevation) / instrument.elevationRate,
  );
  return Math.ceil((minutes * MINUTE_S + SETUP_S) * 10) / 10;
}

/** The longest slew of an instrument: half around, or from the horizon to the zenith. */
export const longestSlewSeconds = ({ azimuthRate, elevationRate }: Instrument): number =>
  Math.max(180 / azimuthRate, 90 / elevationRate) * MINUTE_S + SETUP_S + 1;

/** The name of a source by its position, as in catalogues: J1331+3030. */
export function nameAt({ raDeg, decDeg }: Target): string {
  const [ra, dec] = [Math.floor(raDeg * 4), Math.floor(Math.abs(decDeg) * 60)];
  return `J${pair(ra / 60)}${pair(ra % 60)}${decDeg < 0 ? '-' : '+'}${pair(dec / 60)}${pair(dec % 60)}`;
}

// Looked up, since 100,000 records have many of them.
const PAIRS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const pair = (number: number): string => PAIRS[Math.floor(number)] as string;
