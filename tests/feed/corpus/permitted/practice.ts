/** Feeds that show documented practice of observatories. */
import { AT_ATA, AT_GBT, AT_VLA } from '../base.ts';
import { change, leaveOut, repeat, set } from '../edits.ts';
import type { PermittedFeed } from '../subject.ts';

/** A record of another site, with the target above its horizon. */
const elsewhere = (site: Record<string, unknown>) =>
  set({ ...site, src_id: 'x', src_dec_j2000_deg: 80, subarray: 3, dish_diameter_m: 25 });

export const permittedPractices: readonly PermittedFeed[] = [
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
    name: 'feed-subarrays',
    summary: 'has two subarrays of one site at two targets',
    records: repeat(AT_VLA, { subarray: 1, src_id: 'y', src_ra_j2000_deg: 350 }),
  },
  {
    name: 'feed-subarrays-one-target',
    summary: 'has two subarrays of one site at one target in one band',
    records: repeat(AT_VLA, { subarray: 1, src_start_utc: '2030-01-01T00:05:10.000541' }),
  },
  {
    name: 'feed-subarrays-left-out',
    summary: 'has several targets of one site at once, and leaves out the subarrays',
    records: (records) =>
      leaveOut('subarray')(repeat(AT_ATA, { src_id: 'y', src_ra_j2000_deg: 10 })(records)),
  },
  {
    name: 'feed-vla-of-2023',
    summary: 'has the position of the VLA that was published in 2023-06',
    records: (records) =>
      records.map((one) =>
        one.site_id === 'vla_D'
          ? { ...one, site_id: 'vla', site_lat_deg: 34.07861, site_lon_deg: -107.61806, site_el_m: 2115 }
          : one,
      ),
  },
  {
    name: 'feed-two-configurations',
    summary: 'has one site under two configurations',
    records: set({ site_id: 'vla_DnC' }),
  },
  {
    name: 'feed-kokee',
    summary: 'has the antenna at Kōkeʻe',
    records: elsewhere({ site_id: 'KK', site_lat_deg: 22.1266, site_lon_deg: -159.6651, site_el_m: 1176.58 }),
  },
  {
    name: 'feed-ovro',
    summary: 'has an instrument at Owens Valley',
    records: elsewhere({
      site_id: 'OVRO_40m',
      site_lat_deg: 37.2317,
      site_lon_deg: -118.2827,
      site_el_m: 1222,
    }),
  },
  {
    name: 'feed-vlba',
    summary: 'has a station of the VLBA',
    records: elsewhere({
      site_id: 'vlba_FD',
      site_lat_deg: 30.635,
      site_lon_deg: -103.9448,
      site_el_m: 1606,
    }),
  },
  {
    name: 'feed-unknown-site',
    summary: 'has a site that the profile does not know',
    records: elsewhere({ site_id: 'T1', site_lat_deg: 12.5, site_lon_deg: 8.25, site_el_m: 4000 }),
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
];
