/** Feeds that show documented practice of observatories, in their times and bands. */
import { AT_ATA, NEXT_AT_VLA } from '../base.ts';
import { repeat, set, setAll } from '../edits.ts';
import type { PermittedFeed } from '../subject.ts';

export const permittedPractices: readonly PermittedFeed[] = [
  {
    name: 'feed-rounded-overlap',
    summary: 'has records that overlap by a millisecond, as rounding leaves them',
    records: set({ src_end_utc: '2030-01-01T00:13:57.002' }),
  },
  {
    name: 'feed-truncated-seconds',
    summary: 'has records that overlap by less than a second, as truncated times leave them',
    records: (records) =>
      set({ src_end_utc: '2030-01-01T00:13:57.900' })(
        set({ src_start_utc: '2030-01-01T00:13:57' }, 3)(records),
      ),
  },
  {
    name: 'feed-contiguous',
    summary: 'has records of which each ends when the next starts',
    records: set({ src_end_utc: '2030-01-01T00:13:57.000841' }),
  },
  {
    name: 'feed-low-band',
    summary: 'has a band below 10 MHz',
    records: set({ freq_lower_hz: 3e6, freq_upper_hz: 9e6, dish_diameter_m: 0 }),
  },
  {
    name: 'feed-high-band',
    summary: 'has a band at 950 GHz',
    records: set({ freq_lower_hz: 9.4e11, freq_upper_hz: 9.5e11 }),
  },
  {
    name: 'feed-wide-receiver',
    summary: 'has the whole range of a receiver as its band',
    records: set({ freq_lower_hz: 9e8, freq_upper_hz: 1.12e10 }, AT_ATA),
  },
  {
    name: 'feed-spectral-line',
    summary: 'has a band of 1 MHz around a spectral line',
    records: set({ freq_lower_hz: 1419905752, freq_upper_hz: 1420905752 }),
  },
  {
    name: 'feed-several-bands',
    summary: 'has a record for each of several bands of one observation',
    records: repeat(
      AT_ATA,
      { freq_lower_hz: 1155e6, freq_upper_hz: 1845e6 },
      { freq_lower_hz: 2655e6, freq_upper_hz: 3345e6 },
    ),
  },
  {
    name: 'feed-running',
    summary: 'has a record that has been running for hours',
    records: set({ src_id: 'x', src_dec_j2000_deg: 80, src_start_utc: '2029-12-31T18:00:00.000000' }),
  },
  {
    name: 'feed-just-ended',
    summary: 'has a record that ended half a minute ago',
    records: set({ src_start_utc: '2029-12-31T23:50:00.000000', src_end_utc: '2029-12-31T23:59:30.000000' }),
  },
  {
    name: 'feed-short-scan',
    summary: 'has a scan of 10 s without a slew',
    records: set({ slew_sec: 0, src_end_utc: '2030-01-01T00:05:10.000541' }),
  },
  {
    name: 'feed-long-track',
    summary: 'has a track of 11 hours',
    records: (records) => set({ src_end_utc: '2030-01-01T11:23:40' }, 5)(records),
  },
  {
    name: 'feed-low-band-of-array',
    summary: 'has the lowest band of the VLA next to its highest',
    records: (records) =>
      set({ freq_lower_hz: 54e6, freq_upper_hz: 86e6 })(
        set({ freq_lower_hz: 40e9, freq_upper_hz: 50e9 }, NEXT_AT_VLA)(records),
      ),
  },
  {
    name: 'feed-fast-slews',
    summary: 'reaches each target in a tenth of a second',
    records: setAll({ slew_sec: 0.1 }),
  },
  {
    name: 'feed-half-a-year-ahead',
    summary: 'has a last record in half a year',
    records: set(
      {
        src_id: 'x',
        src_dec_j2000_deg: 75,
        src_start_utc: '2030-07-01T00:23:40.000436',
        src_end_utc: '2030-07-01T00:53:40.000000',
      },
      5,
    ),
  },
  {
    name: 'feed-overlapping-bands',
    summary: 'has bands of one observation that overlap by nine tenths',
    records: repeat(AT_ATA, { freq_lower_hz: 1990250000, freq_upper_hz: 1995250000 }),
  },
];
