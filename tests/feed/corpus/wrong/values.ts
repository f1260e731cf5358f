/** Feeds with a record whose times, durations or band contradict each other. */
import { set, sorted } from '../edits.ts';
import type { WrongFeed } from '../subject.ts';

export const wrongValues: readonly WrongFeed[] = [
  {
    name: 'feed-start-end-swapped',
    summary: 'has a record whose start and end are swapped',
    records: sorted(
      set({ src_start_utc: '2030-01-01T00:13:57.000723', src_end_utc: '2030-01-01T00:05:00.000541' }),
    ),
    rule: 'interval',
    says: /from .*00:13:57.* to .*00:05:00/,
  },
  {
    name: 'feed-zero-length',
    summary: 'has a record that ends when it starts',
    records: set({ src_end_utc: '2030-01-01T00:05:00.000541' }),
    rule: 'interval',
    says: /from .* to /,
  },
  {
    name: 'feed-band-swapped',
    summary: 'has a band whose edges are swapped',
    records: set({ freq_lower_hz: 1995000000, freq_upper_hz: 1990000000 }),
    rule: 'frequency-order',
    says: /from 1995000000 Hz/,
  },
  {
    name: 'feed-megahertz',
    summary: 'has a band in megahertz',
    records: set({ freq_lower_hz: 1990, freq_upper_hz: 1995 }),
    rule: 'frequency-unit',
    says: /in megahertz/,
  },
  {
    name: 'feed-gigahertz',
    summary: 'has a band in gigahertz',
    records: set({ freq_lower_hz: 1.99, freq_upper_hz: 1.995 }),
    rule: 'frequency-unit',
    says: /in gigahertz/,
  },
  {
    name: 'feed-lower-edge-in-megahertz',
    summary: 'has a band with the lower edge in megahertz and the upper edge in hertz',
    records: set({ freq_lower_hz: 1990 }),
    rule: 'frequency-unit',
    says: /1990 Hz: is this in megahertz/,
  },
  {
    name: 'feed-upper-edge-in-megahertz',
    summary: 'has a band with the upper edge in megahertz and the lower edge in hertz',
    records: set({ freq_upper_hz: 1995 }),
    rule: 'frequency-unit',
    says: /1995 Hz: is this in megahertz/,
  },
  {
    name: 'feed-band-beyond-radio',
    summary: 'has a band above 3 THz',
    records: set({ freq_lower_hz: 1.99e15, freq_upper_hz: 1.995e15 }),
    rule: 'frequency-unit',
    says: /is the unit right/,
  },
  {
    name: 'feed-band-too-wide',
    summary: 'has a band from 10 MHz to 100 GHz',
    records: set({ freq_lower_hz: 1e7, freq_upper_hz: 1e11 }),
    rule: 'frequency-band',
    says: /from 10000000 Hz/,
    isWarning: true,
  },
  {
    name: 'feed-band-from-zero',
    summary: 'has a band that begins at 0 Hz',
    records: set({ freq_lower_hz: 0 }),
    rule: 'frequency-band',
    says: /from 0 Hz/,
    isWarning: true,
  },
  {
    name: 'feed-band-of-one-hertz',
    summary: 'has a band of 1 Hz',
    records: set({ freq_lower_hz: 1994999999 }),
    rule: 'frequency-band',
    says: /to 1995000000 Hz/,
    isWarning: true,
  },
  {
    name: 'feed-slew-in-milliseconds',
    summary: 'has a slew in milliseconds, which is longer than the observation',
    records: set({ slew_sec: 3500 }),
    rule: 'slew-time',
    says: /slews for 3500 s/,
    isWarning: true,
  },
  {
    name: 'feed-integration-in-milliseconds',
    summary: 'has an integration time in milliseconds, which is longer than the observation',
    records: set({ corr_integ_time_sec: 3000 }),
    rule: 'integration-time',
    says: /integrates for 3000 s/,
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
];
