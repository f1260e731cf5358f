/** Feeds with a record whose values contradict each other, or whose band is not in hertz. */
import { AT_GBT } from '../base.ts';
import { inTurn, legacy, repeat, set, sorted } from '../edits.ts';
import { failed, type WrongFeed, warned } from '../subject.ts';

export const wrongValues: readonly WrongFeed[] = [
  ...failed('interval', {
    'feed-start-end-swapped': [
      'has a record whose start and end are swapped',
      sorted(set({ src_start_utc: '2030-01-01T00:13:57.000723', src_end_utc: '2030-01-01T00:05:00.000541' })),
      /it ends .*00:05:00.*, but starts .*00:13:57/,
    ],
    'feed-zero-length': [
      'has a record that ends when it starts',
      set({ src_end_utc: '2030-01-01T00:05:00.000541' }),
      /it ends (.*), but starts \1$/,
    ],
  }),
  ...warned('slew-time', {
    'feed-slew-in-milliseconds': [
      'has a slew in milliseconds, which is longer than the observation',
      set({ slew_sec: 3500 }),
      /slew_sec is 3500 s, but the record lasts 537.000182 s/,
    ],
    'feed-slew-as-long': [
      'has a slew that is exactly as long as the observation',
      set({ slew_sec: 537.000182 }),
      /slew_sec is 537.000182 s, but the record lasts 537.000182 s/,
    ],
  }),
  ...warned('integration-time', {
    'feed-integration-in-milliseconds': [
      'has an integration time in milliseconds, which is longer than the observation',
      set({ corr_integ_time_sec: 3000 }),
      /corr_integ_time_sec is 3000 s, but the record lasts/,
    ],
  }),
  ...failed('plausible-value', {
    'feed-year-3030': [
      'has a last record in the year 3030',
      set(
        {
          src_id: 'x',
          src_dec_j2000_deg: 75,
          src_start_utc: '3030-01-01T00:23:40.000436',
          src_end_utc: '3030-01-01T00:53:40.000000',
        },
        5,
      ),
      /years after the feed was served/,
    ],
    'feed-ends-next-year': [
      'has a last record that ends in the next year',
      set({ src_end_utc: '2031-01-01T00:53:40.000000' }, 5),
      /lasts 365 days/,
    ],
    'feed-rate-in-arcseconds': [
      'has a tracking rate in arcseconds per second, which no target has in degrees',
      set({ src_id: 'x', trk_rate_ra_deg_per_sec: 15.041 }),
      /trk_rate_ra_deg_per_sec is 15.041: the target would cross 1\d degrees of sky in a second/,
      ['moving-target'],
    ],
    'feed-declination-rate': [
      'has a declination that moves 20 degrees in a second',
      set({ src_id: 'x', trk_rate_dec_deg_per_sec: -20 }),
      /trk_rate_dec_deg_per_sec is -20: the target would cross 20 degrees of sky in a second/,
      ['moving-target'],
    ],
    'feed-radius-in-arcseconds': [
      'has a radius of six arcminutes in arcseconds, which is more than the sky in degrees',
      { records: legacy({ src_radius: 360 }), profile: 'legacy' },
      /src_radius is 360 degrees, which is not between 0 and 180/,
    ],
  }),
  ...warned('plausible-value', {
    'feed-lasts-a-month': [
      'has a last record that ends a month later',
      set({ src_end_utc: '2030-02-01T00:53:40.000000' }, 5),
      /lasts 31 days/,
    ],
    'feed-year-late': [
      'has a last record a year late, as a mistyped year leaves it',
      set(
        {
          src_id: 'x',
          src_dec_j2000_deg: 75,
          src_start_utc: '2031-01-01T00:23:40.000436',
          src_end_utc: '2031-01-01T00:53:40.000000',
        },
        5,
      ),
      /365 days after the feed was served/,
    ],
  }),
  ...failed('frequency-order', {
    'feed-legacy-name-again': [
      'has a record of 2023-06 with the band swapped, next to the legacy names',
      {
        records: (records) =>
          records.slice(0, 1).map(({ freq_lower_hz, freq_upper_hz, version: _, ...one }) => ({
            ...one,
            notes: '',
            freq_lower: freq_upper_hz,
            freq_upper: freq_lower_hz,
          })),
        profile: 'legacy',
      },
      /from 1995000000 Hz to 1990000000 Hz/,
    ],
    'feed-band-swapped': [
      'has a band whose edges are swapped',
      set({ freq_lower_hz: 1995000000, freq_upper_hz: 1990000000 }),
      /from 1995000000 Hz to 1990000000 Hz: the edges are swapped/,
    ],
  }),
  ...failed('frequency-unit', {
    'feed-megahertz': [
      'has a band in megahertz',
      set({ freq_lower_hz: 1990, freq_upper_hz: 1995 }),
      /in megahertz/,
    ],
    'feed-gigahertz': [
      'has a band in gigahertz',
      set({ freq_lower_hz: 1.99, freq_upper_hz: 1.995 }),
      /in gigahertz/,
    ],
    'feed-lower-edge-in-megahertz': [
      'has a band with the lower edge in megahertz and the upper edge in hertz',
      set({ freq_lower_hz: 1990 }),
      /1990 Hz: is this in megahertz/,
    ],
    'feed-upper-edge-in-megahertz': [
      'has a band with the upper edge in megahertz and the lower edge in hertz',
      set({ freq_upper_hz: 1995 }),
      /1995 Hz: is this in megahertz/,
    ],
    'feed-band-beyond-radio': [
      'has a band above 3 THz',
      set({ freq_lower_hz: 1.99e15, freq_upper_hz: 1.995e15 }),
      /is the unit right/,
    ],
  }),
  ...warned('frequency-band', {
    'feed-band-too-wide': [
      'has a band from 10 MHz to 100 GHz',
      set({ freq_lower_hz: 1e7, freq_upper_hz: 1e11 }),
      /from 10000000 Hz to 100000000000 Hz: is the lower edge in another unit/,
    ],
    'feed-band-from-zero': [
      'has a band that begins at 0 Hz',
      set({ freq_lower_hz: 0 }),
      /from 0 Hz.*it starts at 0/,
    ],
    'feed-band-of-one-hertz': [
      'has a band of 1 Hz',
      set({ freq_lower_hz: 1994999999 }),
      /it is only 1 Hz wide/,
    ],
    'feed-lower-edge-in-kilohertz': [
      'has a band with the lower edge in kilohertz and the upper edge in hertz',
      set({ freq_lower_hz: 1990000 }),
      /is the lower edge in another unit/,
    ],
  }),
  ...warned('frequency-unit', {
    'feed-kilohertz': [
      'has a band in kilohertz, in which a dish is smaller than two waves',
      set({ freq_lower_hz: 1990000, freq_upper_hz: 1995000 }),
      /a dish of 25 m does not focus waves of 150 m; are these kilohertz/,
    ],
    'feed-kilohertz-next-to-hertz': [
      'has a band in kilohertz that is a thousandth of another band of the site',
      repeat(AT_GBT, { freq_lower_hz: 10700000, freq_upper_hz: 12700000 }),
      /12700000 Hz, but \/ods_data\/1 of "gbt" has 12700000000 Hz/,
    ],
    'feed-hertz-after-kilohertz': [
      'has a first band of a site in kilohertz and a second one in hertz',
      inTurn(
        repeat(AT_GBT, { freq_lower_hz: 11700000000, freq_upper_hz: 12700000000 }),
        set({ freq_lower_hz: 10700000, freq_upper_hz: 12700000 }, AT_GBT),
      ),
      /12700000000 Hz, but \/ods_data\/1 of "gbt" has 12700000 Hz/,
    ],
  }),
];
