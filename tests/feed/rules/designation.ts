/** Coordinates in the names of targets, such as J1331+3030 and B1328+307. */
import { fromB1950, type SkyPosition } from './sky.ts';

/** The positions that a name may mean, in J2000; none if it holds no coordinates. */
export function positionsInName(name: string): readonly SkyPosition[] {
  const [, letter = '', hours = '', sign = '', degrees = ''] =
    DESIGNATION.exec(name) ?? BARE.exec(name) ?? [];
  const position = positionOf(hours, sign, degrees);
  if (!position) return [];
  if (/j/i.test(letter)) return [position];
  // Without a letter, both equinoxes are in use.
  return letter === '' ? [position, fromB1950(position)] : [fromB1950(position)];
}

/** J or B, right ascension as HHMM or HHMMSS, and declination as DD, DDd (tenths), DDMM or DDMMSS. */
const DESIGNATION =
  /(?:^|[A-Z\d_ .-])([JB])(\d{4}|\d{6}(?:\.\d+)?)([+\u2212-])(\d{2,4}|\d{6}(?:\.\d+)?)(?![\d.])/i;
/** The same without the letter, as a whole name, or after the name of the Parkes catalogue. */
const BARE = /^(?:PKS[ _-]?)?()(\d{4})([+-])(\d{3,4})$/i;

function positionOf(hours: string, sign: string, degrees: string): SkyPosition | undefined {
  if (hours === '') return undefined;
  const [hour, minute, second] = parts(hours);
  const [degree, arcMinute, arcSecond] = degrees.length === 3 ? tenths(degrees) : parts(degrees);
  const declination = degree + arcMinute / 60 + arcSecond / 3600;
  if (hour > 23 || minute > 59 || second >= 60 || arcMinute > 59 || declination > 90) return undefined;
  return {
    raDeg: (hour + minute / 60 + second / 3600) * 15,
    decDeg: sign === '+' ? declination : -declination,
  };
}

const parts = (digits: string): [number, number, number] => [
  Number(digits.slice(0, 2)),
  Number(digits.slice(2, 4)),
  Number(digits.slice(4)),
];

const tenths = (digits: string): [number, number, number] => [
  Number(digits.slice(0, 2)),
  Number(digits.slice(2)) * 6,
  0,
];
