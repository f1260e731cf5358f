import { expect, _baseTest as test } from '@playwright/test';
import { elevation, fromB1950, separation } from './sky.ts';

const VLA = { latDeg: 34.0787, lonDeg: -107.6177 };
const THREE_C_286 = { raDeg: 202.7845, decDeg: 30.5092 };

test('the separation of two positions is the angle between them, also across 0 hours', () => {
  expect(separation({ raDeg: 359.5, decDeg: 0 }, { raDeg: 0.5, decDeg: 0 })).toBeCloseTo(1, 6);
  expect(separation({ raDeg: 10, decDeg: 60 }, { raDeg: 12, decDeg: 60 })).toBeCloseTo(1, 3);
  expect(separation({ raDeg: 0, decDeg: 90 }, { raDeg: 180, decDeg: -90 })).toBeCloseTo(180, 6);
});

test('a B1950 position is precessed to its J2000 position', () => {
  // 3C 286 in the VLA calibrator manual: B1950 13:28:49.66 +30:45:58.6, J2000 13:31:08.29 +30:30:32.96.
  const position = fromB1950({ raDeg: 202.20691, decDeg: 30.76628 });
  expect(separation(position, THREE_C_286)).toBeLessThan(0.01);
});

test('a target at the zenith is at 90 degrees', () => {
  // Greenwich sidereal time at 2000-01-01T12:00 is 280.46 degrees.
  const zenith = { raDeg: 280.46 + VLA.lonDeg, decDeg: VLA.latDeg };
  expect(elevation(zenith, VLA, Date.UTC(2000, 0, 1, 12))).toBeCloseTo(90, 1);
});

test('a target comes back to its elevation after a sidereal day', () => {
  const at = Date.UTC(2030, 0, 1);
  const sidereal = 86_164_091;
  expect(elevation(THREE_C_286, VLA, at + sidereal)).toBeCloseTo(elevation(THREE_C_286, VLA, at), 3);
  expect(elevation(THREE_C_286, VLA, at + sidereal / 2)).toBeGreaterThan(60);
  expect(elevation(THREE_C_286, VLA, at)).toBeLessThan(-10);
});
