/** Places in the sky, to a fraction of a degree: enough to see that two statements cannot both be right. */

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

/** A position of the equinox B1950 in J2000. */
export function fromB1950({ raDeg, decDeg }: SkyPosition): SkyPosition {
  const [ra, dec] = [raDeg * RADIANS, decDeg * RADIANS];
  const from = [Math.cos(dec) * Math.cos(ra), Math.cos(dec) * Math.sin(ra), Math.sin(dec)] as const;
  const [x, y, z] = PRECESSION.map(([a, b, c]) => a * from[0] + b * from[1] + c * from[2]) as [
    number,
    number,
    number,
  ];
  return { raDeg: (Math.atan2(y, x) / RADIANS + 360) % 360, decDeg: Math.asin(z) / RADIANS };
}

/** From B1950 to J2000 (Standish 1982). */
const PRECESSION = [
  [0.999925708, -0.0111789372, -0.0048590035],
  [0.0111789372, 0.9999375134, -0.0000271626],
  [0.0048590036, -0.0000271579, 0.9999881946],
] as const;
