/** Feeds of sites and instruments that differ from most. */
import { AT_ATA, AT_VLA } from '../base.ts';
import { change, leaveOut, repeat, set } from '../edits.ts';
import type { PermittedFeed } from '../subject.ts';

/** A record of another site, with the target above its horizon. */
const elsewhere = (site: Record<string, unknown>) =>
  set({ src_id: 'x', src_dec_j2000_deg: 80, subarray: 3, dish_diameter_m: 25, ...site });

export const permittedSites: readonly PermittedFeed[] = [
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
    name: 'feed-name-of-observatory',
    summary: 'names the Allen Telescope Array by its observatory',
    records: set({ site_id: 'HCRO' }, AT_ATA),
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
    name: 'feed-vlbi',
    summary: 'has four stations of the VLBA on one target at once',
    records: (records) =>
      (
        [
          ['vlba_PT', 34.301003, -108.119183, 2365],
          ['vlba_LA', 35.775125, -106.245597, 1962],
          ['vlba_FD', 30.635031, -103.944817, 1606],
          ['vlba_KP', 31.956306, -111.612422, 1902],
        ] as const
      ).map(([id, lat, lon, el]) => ({
        ...records[0],
        site_id: id,
        site_lat_deg: lat,
        site_lon_deg: lon,
        site_el_m: el,
      })),
  },
  {
    name: 'feed-next-to-known-site',
    summary: 'has an instrument that is a kilometre from Westford',
    records: elsewhere({
      site_id: 'Haystack',
      site_lat_deg: 42.6233,
      site_lon_deg: -71.4882,
      site_el_m: 131,
      dish_diameter_m: 37,
    }),
  },
  {
    name: 'feed-two-instruments-one-place',
    summary: 'has two instruments of an observatory at one position',
    records: (records) =>
      ['A1', 'B7'].map((id, at) => ({
        ...records[0],
        site_id: id,
        site_lat_deg: 36,
        site_lon_deg: -110,
        dish_diameter_m: at === 0 ? 25 : 12,
      })),
  },
  {
    name: 'feed-ids-in-both-cases',
    summary: 'has two sites whose ids differ only in capitals',
    records: (records) =>
      ['Mc', 'MC'].map((id, at) => ({
        ...records[0],
        site_id: id,
        site_lat_deg: 36 + at,
        site_lon_deg: -110,
      })),
  },
  {
    name: 'feed-effective-dish',
    summary: 'has the effective diameter of the dishes of the VLA',
    records: change(({ site_id: id }) => (id === 'vla_D' ? { dish_diameter_m: 21 } : {})),
  },
  {
    name: 'feed-dipoles',
    summary: 'has an array of dipoles, whose elements are smaller than a wave',
    records: elsewhere({
      site_id: 'LWA1',
      site_lat_deg: 34.0689,
      site_lon_deg: -107.6283,
      site_el_m: 2126,
      dish_diameter_m: 3,
      freq_lower_hz: 10e6,
      freq_upper_hz: 40e6,
    }),
  },
  {
    name: 'feed-low-frequency-station',
    summary: 'has a station of 85 m that observes from 10 to 30 MHz',
    records: elsewhere({
      site_id: 'SE607',
      site_lat_deg: 57.3989,
      site_lon_deg: 11.9301,
      site_el_m: 20,
      dish_diameter_m: 85,
      freq_lower_hz: 10e6,
      freq_upper_hz: 30e6,
    }),
  },
];
