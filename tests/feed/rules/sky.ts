/**
 * Places in the sky, to a fraction of a degree: enough to see that two statements cannot both be right; and those that names
 * name, by coordinates in them, such as J1331+3030, or as a calibrator, such as 3C286.
 */

/** Equatorial coordinates of J2000, in degrees. */
export interface SkyPosition {
  raDeg: number;
  decDeg: number;
}

const RADIANS = Math.PI / 180;

/** The angle between two positions, in degrees. */
export function separation(a: SkyPosition, b: SkyPosition): number {
  const sinDec = Math.sin(((a.decDeg - b.decDeg) / 2) * RADIANS);
  const sinRa = Math.sin(((a.raDeg - b.raDeg) / 2) * RADIANS);
  const cosines = Math.cos(a.decDeg * RADIANS) * Math.cos(b.decDeg * RADIANS);
  return (2 * Math.asin(Math.min(1, Math.sqrt(sinDec ** 2 + cosines * sinRa ** 2)))) / RADIANS;
}

/**
 * The elevation of a position above the horizon of a site, in degrees; the time is in milliseconds since 1970.
 * Without refraction and precession, which make less than half a degree.
 */
export function elevation(
  { raDeg, decDeg }: SkyPosition,
  { latDeg, lonDeg }: { latDeg: number; lonDeg: number },
  ms: number,
): number {
  const days = ms / 86_400_000 - DAYS_TO_J2000;
  // Greenwich mean sidereal time, in degrees.
  const sidereal = 280.46061837 + 360.98564736629 * days;
  const hourAngle = (sidereal + lonDeg - raDeg) * RADIANS;
  const [lat, dec] = [latDeg * RADIANS, decDeg * RADIANS];
  const sine = Math.sin(lat) * Math.sin(dec) + Math.cos(lat) * Math.cos(dec) * Math.cos(hourAngle);
  return Math.asin(Math.max(-1, Math.min(1, sine))) / RADIANS;
}

/** From 1970-01-01T00:00 to 2000-01-01T12:00. */
const DAYS_TO_J2000 = 10_957.5;

// Names of targets.

/** The position that a name means, within a degree, since B1950 and J2000 differ by less; undefined where that is not known. */
export const positionOf = (name: string): SkyPosition | undefined =>
  positionIn(name) ?? positionIn(calibratorIn(name) ?? '');

/** J or B, right ascension as HHMM or HHMMSS, and declination as DD, DDd (tenths), DDMM or DDMMSS. */
const DESIGNATION =
  /(?:^|[\d_ .-]|(?:2MASS|FBQS|FIRST|GB|ICRF|IVS|MRC|NVSS|PKS|PMN|PSR|RACS|SDSS|TXS|VLASS|WISE))[JB](\d{4}|\d{6}(?:\.\d+)?)([+\u2212-])(\d{2,4}|\d{6}(?:\.\d+)?)(?![\d.])/i;
/** The same without the letter, as a whole name, or after the name of the Parkes catalogue. */
const BARE = /^(?:PKS[ _-]?)?(\d{4})([+-])(\d{3,4})$/i;

function positionIn(name: string): SkyPosition | undefined {
  const [, hours = '', sign = '', degrees = ''] = DESIGNATION.exec(name) ?? BARE.exec(name) ?? [];
  const [hour = 0, minute = 0, second = 0] = pairs(hours);
  // Three digits are degrees and tenths.
  const [degree = 0, arcMinute = 0, arcSecond = 0] =
    degrees.length === 3 ? [Number(degrees) / 10] : pairs(degrees);
  const declination = degree + arcMinute / 60 + arcSecond / 3600;
  if (hours === '' || hour > 23 || minute > 59 || second >= 60 || arcMinute > 59 || declination > 90)
    return undefined;
  return {
    raDeg: (hour + minute / 60 + second / 3600) * 15,
    decDeg: sign === '+' ? declination : -declination,
  };
}

const pairs = (digits: string): number[] =>
  [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)].map(Number);

/** The J2000 name of the calibrator that `name` names, with or without a short suffix. */
function calibratorIn(name: string): string | undefined {
  const number = THIRD_CAMBRIDGE.exec(name)?.[1];
  return CALIBRATORS.get(number === undefined ? name.replace(/[ _*-]/g, '').toUpperCase() : `3C${number}`);
}

/** `3C286`, `3C 48`, `3c147_a`. A longer suffix may name something else, such as a calibrator next to it. */
const THIRD_CAMBRIDGE = /^3C[ _-]?(\d+(?:\.\d)?)(?:[ _-]?[a-z]{1,3}|[ _-]\d{1,2})?$/i;

/** J2000 names of calibrators, each with its other names, from the VLA's list of calibrators. */
const CALIBRATORS: ReadonlyMap<string, string> = new Map(
  `
  J0137+3309 3C48, J0319+4130 3C84 PERSEUSA, J0418+3801 3C111, J0432+4138 3C119, J0433+0521 3C120,
  J0437+2940 3C123, J0521+1638 3C138, J0534+2200 3C144 TAUA TAURUSA, J0542+4951 3C147, J0627-0553 3C161,
  J0813+4813 3C196, J0854+2006 OJ287, J0918-1205 3C218 HYDRAA, J1229+0203 3C273,
  J1230+1223 3C274 VIRA VIRGOA, J1256-0547 3C279, J1331+3030 3C286, J1330+2509 3C287, J1411+5212 3C295,
  J1419+0628 3C298, J1459+7140 3C309.1, J1642+3948 3C345, J1651+0459 3C348 HERCULESA, J1720-0058 3C353,
  J1733-1304 NRAO530, J1745-2900 SGRA, J1806+6949 3C371, J1829+4844 3C380, J1842+7946 3C390.3,
  J1902+3159 3C395, J1959+4044 3C405 CYGA CYGNUSA, J2038+5119 3C418, J2202+4216 BLLAC, J2225-0457 3C446,
  J2232+1143 CTA102, J2253+1608 3C454.3, J2323+5848 3C461 CASA CASSIOPEIAA
  `
    .trim()
    .split(/,\s*/)
    .flatMap((row) => {
      const [designation = '', ...names] = row.split(' ');
      return names.map((name): [string, string] => [name, designation]);
    }),
);
