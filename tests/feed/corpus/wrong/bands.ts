/** Feeds with a band that is not in hertz, or that no receiver has. */
import { AT_GBT } from '../base.ts';
import { repeat, set } from '../edits.ts';
import type { WrongFeed } from '../subject.ts';

export const wrongBands: readonly WrongFeed[] = [
  {
    name: 'feed-band-swapped',
    summary: 'has a band whose edges are swapped',
    records: set({ freq_lower_hz: 1995000000, freq_upper_hz: 1990000000 }),
    rule: 'frequency-order',
    says: /from 1995000000 Hz to 1990000000 Hz: the edges are swapped/,
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
    says: /from 10000000 Hz to 100000000000 Hz: is the lower edge in another unit/,
    isWarning: true,
  },
  {
    name: 'feed-band-from-zero',
    summary: 'has a band that begins at 0 Hz',
    records: set({ freq_lower_hz: 0 }),
    rule: 'frequency-band',
    says: /from 0 Hz.*it starts at 0/,
    isWarning: true,
  },
  {
    name: 'feed-band-of-one-hertz',
    summary: 'has a band of 1 Hz',
    records: set({ freq_lower_hz: 1994999999 }),
    rule: 'frequency-band',
    says: /it is only 1 Hz wide/,
    isWarning: true,
  },
  {
    name: 'feed-kilohertz',
    summary: 'has a band in kilohertz, in which a dish is smaller than two waves',
    records: set({ freq_lower_hz: 1990000, freq_upper_hz: 1995000 }),
    rule: 'frequency-unit',
    says: /a dish of 25 m does not focus waves of 150 m; are these kilohertz/,
    isWarning: true,
  },
  {
    name: 'feed-kilohertz-next-to-hertz',
    summary: 'has a band in kilohertz that is a thousandth of another band of the site',
    records: (records) => repeat(AT_GBT, { freq_lower_hz: 10700000, freq_upper_hz: 12700000 })(records),
    rule: 'frequency-unit',
    says: /12700000 Hz, but \/ods_data\/1 of "gbt" has 12700000000 Hz/,
    isWarning: true,
  },
  {
    name: 'feed-lower-edge-in-kilohertz',
    summary: 'has a band with the lower edge in kilohertz and the upper edge in hertz',
    records: set({ freq_lower_hz: 1990000 }),
    rule: 'frequency-band',
    says: /is the lower edge in another unit/,
    isWarning: true,
  },
  {
    name: 'feed-hertz-after-kilohertz',
    summary: 'has a first band of a site in kilohertz and a second one in hertz',
    records: (records) =>
      set(
        { freq_lower_hz: 10700000, freq_upper_hz: 12700000 },
        AT_GBT,
      )(repeat(AT_GBT, { freq_lower_hz: 11700000000, freq_upper_hz: 12700000000 })(records)),
    rule: 'frequency-unit',
    says: /12700000000 Hz, but \/ods_data\/1 of "gbt" has 12700000 Hz/,
    isWarning: true,
  },
];
