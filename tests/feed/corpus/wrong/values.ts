/** Feeds with a record whose times or durations contradict each other. */
import { legacy, set, sorted } from '../edits.ts';
import type { WrongFeed } from '../subject.ts';

export const wrongValues: readonly WrongFeed[] = [
  {
    name: 'feed-start-end-swapped',
    summary: 'has a record whose start and end are swapped',
    records: sorted(
      set({ src_start_utc: '2030-01-01T00:13:57.000723', src_end_utc: '2030-01-01T00:05:00.000541' }),
    ),
    rule: 'interval',
    says: /it ends .*00:05:00.*, but starts .*00:13:57/,
  },
  {
    name: 'feed-zero-length',
    summary: 'has a record that ends when it starts',
    records: set({ src_end_utc: '2030-01-01T00:05:00.000541' }),
    rule: 'interval',
    says: /it ends (.*), but starts \1$/,
  },
  {
    name: 'feed-slew-in-milliseconds',
    summary: 'has a slew in milliseconds, which is longer than the observation',
    records: set({ slew_sec: 3500 }),
    rule: 'slew-time',
    says: /slew_sec is 3500 s, but the record lasts 537.000182 s/,
    isWarning: true,
  },
  {
    name: 'feed-integration-in-milliseconds',
    summary: 'has an integration time in milliseconds, which is longer than the observation',
    records: set({ corr_integ_time_sec: 3000 }),
    rule: 'integration-time',
    says: /corr_integ_time_sec is 3000 s, but the record lasts/,
    isWarning: true,
  },
  {
    name: 'feed-year-3030',
    summary: 'has a last record in the year 3030',
    records: (records) =>
      set(
        {
          src_id: 'x',
          src_dec_j2000_deg: 75,
          src_start_utc: '3030-01-01T00:23:40.000436',
          src_end_utc: '3030-01-01T00:53:40.000000',
        },
        5,
      )(records),
    rule: 'plausible-value',
    says: /years after the feed was served/,
  },
  {
    name: 'feed-lasts-a-month',
    summary: 'has a last record that ends a month later',
    records: (records) => set({ src_end_utc: '2030-02-01T00:53:40.000000' }, 5)(records),
    rule: 'plausible-value',
    says: /lasts 31 days/,
    isWarning: true,
  },
  {
    name: 'feed-ends-next-year',
    summary: 'has a last record that ends in the next year',
    records: (records) => set({ src_end_utc: '2031-01-01T00:53:40.000000' }, 5)(records),
    rule: 'plausible-value',
    says: /lasts 365 days/,
  },
  {
    name: 'feed-legacy-name-again',
    summary: 'has a record of 2023-06 with the band swapped, next to the legacy names',
    records: (records) =>
      records.slice(0, 1).map(({ freq_lower_hz, freq_upper_hz, version: _, ...one }) => ({
        ...one,
        notes: '',
        freq_lower: freq_upper_hz,
        freq_upper: freq_lower_hz,
      })),
    profile: 'legacy',
    rule: 'frequency-order',
    says: /from 1995000000 Hz to 1990000000 Hz/,
  },
  {
    name: 'feed-year-late',
    summary: 'has a last record a year late, as a mistyped year leaves it',
    records: set(
      {
        src_id: 'x',
        src_dec_j2000_deg: 75,
        src_start_utc: '2031-01-01T00:23:40.000436',
        src_end_utc: '2031-01-01T00:53:40.000000',
      },
      5,
    ),
    rule: 'plausible-value',
    says: /365 days after the feed was served/,
    isWarning: true,
  },
  {
    name: 'feed-slew-as-long',
    summary: 'has a slew that is exactly as long as the observation',
    records: set({ slew_sec: 537.000182 }),
    rule: 'slew-time',
    says: /slew_sec is 537.000182 s, but the record lasts 537.000182 s/,
    isWarning: true,
  },
  {
    name: 'feed-rate-in-arcseconds',
    summary: 'has a tracking rate in arcseconds per second, which no target has in degrees',
    records: set({ src_id: 'x', trk_rate_ra_deg_per_sec: 15.041 }),
    rule: 'plausible-value',
    says: /trk_rate_ra_deg_per_sec is 15.041: the target would cross 1\d degrees of sky in a second/,
    also: ['moving-target'],
  },
  {
    name: 'feed-declination-rate',
    summary: 'has a declination that moves 20 degrees in a second',
    records: set({ src_id: 'x', trk_rate_dec_deg_per_sec: -20 }),
    rule: 'plausible-value',
    says: /trk_rate_dec_deg_per_sec is -20: the target would cross 20 degrees of sky in a second/,
    also: ['moving-target'],
  },
  {
    name: 'feed-radius-in-arcseconds',
    summary: 'has a radius of six arcminutes in arcseconds, which is more than the sky in degrees',
    records: legacy({ src_radius: 360 }),
    profile: 'legacy',
    rule: 'plausible-value',
    says: /src_radius is 360 degrees, which is not between 0 and 180/,
  },
];
