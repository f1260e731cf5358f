/** Feeds with a time that is written in another way. */
import { set } from '../edits.ts';
import type { WrongFeed } from '../subject.ts';

export const wrongTimes: readonly WrongFeed[] = [
  {
    name: 'feed-offset-time',
    summary: 'has a time with the offset +00:00',
    records: set({ src_end_utc: '2030-01-01T00:13:57+00:00' }),
    rule: 'time-format',
    says: /has an offset/,
  },
  {
    name: 'feed-time-without-seconds',
    summary: 'has a time without seconds',
    records: set({ src_end_utc: '2030-01-01T00:13' }),
    rule: 'time-format',
    says: /has no seconds/,
  },
  {
    name: 'feed-time-small-letters',
    summary: 'has a time with small letters',
    records: set({ src_end_utc: '2030-01-01t00:13:57z' }),
    rule: 'time-format',
    says: /small letters/,
  },
  {
    name: 'feed-time-with-blank',
    summary: 'has a time with a blank for T',
    records: set({ src_end_utc: '2030-01-01 00:13:57' }),
    rule: 'time-format',
    says: /write T/,
  },
  {
    name: 'feed-no-such-day',
    summary: 'has a record that ends on the 31st of April',
    records: set({ src_end_utc: '2030-04-31T00:13:57' }),
    rule: 'time-format',
    says: /not a time in UTC/,
  },
  {
    name: 'feed-time-hour-24',
    summary: 'has a record that ends at 24:00:00',
    records: set({ src_end_utc: '2030-01-01T24:00:00' }),
    rule: 'time-format',
    says: /hour 24; write 00:00:00/,
  },
  {
    name: 'feed-leap-second-within-month',
    summary: 'has a leap second that is not at the end of a month',
    records: set({ src_end_utc: '2030-01-15T23:59:60' }),
    rule: 'time-format',
    says: /last second of a month/,
  },
  {
    name: 'feed-time-two-digit-year',
    summary: 'has a year of two digits',
    records: set({ src_end_utc: '30-01-01T00:13:57' }),
    rule: 'time-format',
    says: /year of two digits/,
  },
  {
    name: 'feed-time-unix-text',
    summary: 'has a time in milliseconds since 1970, as text',
    records: set({ src_end_utc: '1893456837000' }),
    rule: 'time-format',
    says: /counts from 1970/,
  },
  {
    name: 'feed-time-unix',
    summary: 'has a time in milliseconds since 1970',
    records: set({ src_end_utc: 1893456837000 }),
    rule: 'type',
    says: /1893456837000; expected a time as text/,
  },
  {
    name: 'feed-time-comma',
    summary: 'has a comma before the fraction of a second',
    records: set({ src_end_utc: '2030-01-01T00:13:57,5' }),
    rule: 'time-format',
    says: /has a comma/,
  },
  {
    name: 'feed-time-zone-name',
    summary: 'has a time with the name of a zone',
    records: set({ src_end_utc: '2030-01-01T00:13:57 MST' }),
    rule: 'time-format',
    says: /names a time zone/,
  },
];
