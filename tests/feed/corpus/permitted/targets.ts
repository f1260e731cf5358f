/** Feeds with targets that look odd and are right. */
import { AT_ATA, AT_GBT, AT_VLA, NEXT_AT_VLA } from '../base.ts';
import { change, repeat, set, setAll } from '../edits.ts';
import type { PermittedFeed } from '../subject.ts';

export const permittedTargets: readonly PermittedFeed[] = [
  {
    name: 'feed-erratic-target',
    summary: 'has three positions at once for a target that moves erratically',
    records: repeat(AT_VLA, { src_ra_j2000_deg: 25.2 }, { src_dec_j2000_deg: 34.1 }),
  },
  {
    name: 'feed-erratic-target-unnamed',
    summary: 'has three positions at once of one dish, each with its own name',
    records: repeat(
      AT_GBT,
      { src_id: 'comet, second', src_ra_j2000_deg: 51 },
      { src_id: 'comet, third', src_dec_j2000_deg: 42.5 },
    ),
  },
  {
    name: 'feed-moving-target',
    summary: 'follows a target that moves, in two records that overlap',
    records: (records) =>
      repeat(AT_VLA, { src_ra_j2000_deg: 40 })(
        set({ src_id: 'comet', trk_rate_ra_deg_per_sec: 0.0005 })(records),
      ),
  },
  {
    name: 'feed-m31-mosaic',
    summary: 'has a mosaic of a galaxy, all of it below 24 degrees of right ascension',
    records: (records) =>
      [10.2, 10.4, 10.6847, 10.9, 11.1, 11.3].map((ra, at) => ({
        ...records[0],
        src_id: 'M31',
        src_ra_j2000_deg: ra,
        src_dec_j2000_deg: 41.27,
        src_start_utc: `2030-01-01T00:${10 + at}:00`,
        src_end_utc: `2030-01-01T00:${11 + at}:00`,
      })),
  },
  {
    name: 'feed-b1950-name',
    summary: 'has a target with a B1950 name at its position in J2000',
    records: set({ src_id: 'B0134+329' }),
  },
  {
    name: 'feed-pulsar-name',
    summary: 'has a pulsar with a survey in front of its name, and a pointing next to it',
    records: set({ src_id: 'PSRJ0137+33_off', src_dec_j2000_deg: 33.9 }),
  },
  {
    name: 'feed-name-with-digits',
    summary: 'has a name that only looks like coordinates',
    records: change(({ src_id: id }) => ({ src_id: `J9999+9999 ${id === 'NGC628' ? '' : 'scan'}`.trim() })),
  },
  {
    name: 'feed-low-elevation',
    summary: 'has a target that rises during its record',
    records: set(
      {
        src_id: 'x',
        src_ra_j2000_deg: 100,
        src_dec_j2000_deg: 0,
        src_end_utc: '2030-01-01T03:30:00.000000',
        subarray: 2,
      },
      AT_VLA,
    ),
  },
  {
    name: 'feed-ra-360',
    summary: 'has a right ascension of 360 degrees',
    records: set({ src_id: 'x', src_ra_j2000_deg: 360 }),
  },
  {
    name: 'feed-3c-name',
    summary: 'has calibrators under their 3C names, at their positions',
    records: (records) =>
      set(
        { src_id: '3C 84-b' },
        AT_GBT,
      )(set({ src_id: '3C454.3' }, AT_ATA)(set({ src_id: '3C48' })(records))),
  },
  {
    name: 'feed-3c-name-off',
    summary: 'has a pointing one degree from 3C 48',
    records: set({ src_id: '3C48 off', src_dec_j2000_deg: 34.1598 }),
  },
  {
    name: 'feed-phase-calibrator',
    summary: 'has the phase calibrator of a target, which is named after it',
    records: set({ src_id: '3C286 phase calibrator' }),
  },
  {
    name: 'feed-parkes-name',
    summary: 'has a target of the Parkes catalogue at its position',
    records: set({ src_id: 'PKS0134+329' }),
  },
  {
    name: 'feed-wide-mosaic',
    summary: 'has fields of one galaxy that are six degrees apart',
    records: set({ src_id: 'NGC628', src_ra_j2000_deg: 30, src_dec_j2000_deg: 18 }, NEXT_AT_VLA),
  },
  {
    name: 'feed-generic-names',
    summary: 'calls all its targets by one word',
    records: setAll({ src_id: 'target' }),
  },
  {
    name: 'feed-survey-near-zero',
    summary: 'has a survey around right ascension 1 and declination 0',
    records: (records) =>
      [1, 1.3, 1.6, 1.9, 2.2, 2.5].map((ra, at) => ({
        ...records[0],
        src_id: `S82 ${at}`,
        src_ra_j2000_deg: ra,
        src_dec_j2000_deg: 0.2 * at,
        src_start_utc: `2030-01-01T00:${10 + at}:00`,
        src_end_utc: `2030-01-01T00:${11 + at}:00`,
      })),
  },
  {
    name: 'feed-satellite',
    summary: 'follows a geostationary satellite for three minutes',
    records: set({
      src_id: 'GOES 16',
      trk_rate_ra_deg_per_sec: 0.00417807,
      src_end_utc: '2030-01-01T00:08:00.000541',
    }),
  },
];
