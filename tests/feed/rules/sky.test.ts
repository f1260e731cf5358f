import { expect, test } from 'vitest';
import { elevation, fromB1950, positionsOf, separation } from './sky.ts';

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

// Positions of the catalogue of the Medicina radio telescope.
for (const [name, raDeg, decDeg] of [
  ['3C48', 24.4221, 33.1597],
  ['3c 84', 49.9507, 41.5117],
  ['3C-123_a', 69.2682, 29.6705],
  ['Hydra A', 139.5235, -12.0956],
  ['3C295', 212.836, 52.2025],
  ['Cyg_A', 299.8682, 40.7339],
] as const)
  test(`${name} is at its position`, () => {
    const [position] = positionsOf(name);
    expect(separation(position as { raDeg: number; decDeg: number }, { raDeg, decDeg })).toBeLessThan(0.3);
  });

for (const [name, ...positions] of [
  ['J1331+3030', [202.75, 30.5]],
  ['J133108.28+303032.9', [202.7845, 30.5091]],
  ['PSR J0437-4715', [69.25, -47.25]],
  ['NVSSJ1331+30_off', [202.75, 30]],
  ['j0437\u22124715', [69.25, -47.25]],
  ['B1328+307', [202.61, 30.44]],
  ['1331+305', [202.75, 30.5], [203.31, 30.24]],
] as const)
  test(`${name} holds ${positions.length} position`, () => {
    const found = positionsOf(name);
    expect(found).toHaveLength(positions.length);
    for (const [at, [raDeg, decDeg]] of positions.entries())
      expect(separation(found[at] as (typeof found)[0], { raDeg, decDeg })).toBeLessThan(0.1);
  });

for (const name of [
  '3C',
  '3C4',
  '3C480',
  '3C66B',
  '3C390',
  '3C286 phase calibrator',
  'x3C286',
  'Cygnus',
  'M31',
  'J2561+3030',
  'J1331+9930',
  'dm0820+03pair',
  'GJ 1214',
  '2MASS',
  '',
  'J1331+30305',
])
  test(`"${name}" holds no position`, () => {
    expect(positionsOf(name)).toEqual([]);
  });
