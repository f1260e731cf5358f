/** Every feed that the judge of feeds must accept, however unlike the others it is. */
import { AT_ATA, AT_GBT, AT_VLA, NEXT_AT_VLA } from './base.ts';
import { change, inTurn, leaveOut, legacy, repeat, set, setAll } from './edits.ts';
import { type PermittedFeed, permitted } from './subject.ts';

const mapTimes = (map: (time: string) => string) =>
  change(({ src_start_utc: start, src_end_utc: end }) => ({
    src_start_utc: map(String(start)),
    src_end_utc: map(String(end)),
  }));

/** A record of another site, with the target above its horizon. */
const elsewhere = (site: Record<string, unknown>) =>
  set({ src_id: 'x', src_dec_j2000_deg: 80, subarray: 3, dish_diameter_m: 25, ...site });

export const permittedFeeds: readonly PermittedFeed[] = permitted({
  // Other spellings.
  'feed-plain': ['is the base feed'],
  'feed-empty': ['has no records', () => []],
  'feed-compact': ['is written without spaces', { text: (body) => JSON.stringify(JSON.parse(body)) }],
  'feed-members-around': [
    'has other members next to the list',
    { text: (body) => JSON.stringify({ generated: 'now', ...JSON.parse(body), count: 6 }) },
  ],
  'feed-reversed-members': [
    'writes the members of records in another order',
    (records) => records.map((one) => Object.fromEntries(Object.entries(one).toReversed())),
  ],
  'feed-charset': [
    'is served as application/json with a charset',
    { contentType: 'Application/JSON; charset=UTF-8' },
  ],
  'feed-json-suffix': [
    'is served as a type that ends with +json',
    { contentType: 'application/vnd.ods+json' },
  ],
  'feed-z': ['writes Z after times', mapTimes((time) => `${time}Z`)],
  'feed-whole-seconds': ['writes whole seconds', mapTimes((time) => time.slice(0, 19))],
  'feed-exponents': [
    'writes frequencies with exponents',
    { text: (body) => body.replaceAll('1990000000', '1.99e9') },
  ],
  'feed-decimals': [
    'writes whole numbers with a fraction',
    { text: (body) => body.replace(/("(?:dish_diameter_m|slew_sec)": \d+)(?=,)/g, '$1.0') },
  ],
  'feed-optional-left-out': [
    'leaves out the optional fields',
    leaveOut('src_id', 'corr_integ_time_sec', 'subarray'),
  ],
  'feed-dish-zero': ['has 0 for dishes that are not known', setAll({ dish_diameter_m: 0 })],
  'feed-no-slew': ['has 0 for slew times', setAll({ slew_sec: 0 })],
  'feed-extension': [
    'has the bands that are observed in an extension, as HCRO has',
    change(({ freq_lower_hz, freq_upper_hz }) => ({
      freq_actual_hz: [{ freq_lower_hz, freq_upper_hz }],
    })),
    { 'unknown-field': /"freq_actual_hz", in 6 of 6/ },
  ],
  'feed-names-in-other-scripts': [
    'has names with letters outside of ASCII',
    set({ src_id: 'β Lyræ – offset' }),
  ],
  'feed-legacy-agreed': [
    'follows the schema of 2023-08 where that is agreed',
    { records: legacy(), profile: 'legacy' },
  ],
  'feed-legacy-pulsar': [
    'follows that schema, and has a pulsar without an integration time',
    {
      records: inTurn(leaveOut('corr_integ_time_sec'), legacy({ src_is_pulsar_bool: true })),
      profile: 'legacy',
    },
  ],
  'feed-legacy-and-current': [
    'has records of both schemas where the earlier one is agreed',
    { records: (records) => [...legacy()(records.slice(0, 1)), ...records.slice(1)], profile: 'legacy' },
  ],
  'feed-joined-letters': [
    'has a name with a joiner, which its script needs',
    set({ src_id: 'ستاره\u200cی نوترونی' }),
  ],
  'feed-long-names': ['has a name of three thousand letters', set({ src_id: 'x'.repeat(3000) })],
  'feed-nanoseconds': ['writes nine digits of a second', mapTimes((time) => `${time}123`)],
  'feed-leap-second': [
    'has a last record that ends with a leap second',
    set(
      {
        src_id: 'x',
        src_dec_j2000_deg: 75,
        src_start_utc: '2030-06-30T23:00:00',
        src_end_utc: '2030-06-30T23:59:60',
      },
      5,
    ),
  ],

  // Documented practice of observatories, in their times and bands.
  'feed-rounded-overlap': [
    'has records that overlap by a millisecond, as rounding leaves them',
    set({ src_end_utc: '2030-01-01T00:13:57.002' }),
  ],
  'feed-truncated-seconds': [
    'has records that overlap by less than a second, as truncated times leave them',
    inTurn(set({ src_start_utc: '2030-01-01T00:13:57' }, 3), set({ src_end_utc: '2030-01-01T00:13:57.900' })),
  ],
  'feed-contiguous': [
    'has records of which each ends when the next starts',
    set({ src_end_utc: '2030-01-01T00:13:57.000841' }),
  ],
  'feed-low-band': [
    'has a band below 10 MHz',
    set({ freq_lower_hz: 3e6, freq_upper_hz: 9e6, dish_diameter_m: 0 }),
  ],
  'feed-high-band': ['has a band at 950 GHz', set({ freq_lower_hz: 9.4e11, freq_upper_hz: 9.5e11 })],
  'feed-wide-receiver': [
    'has the whole range of a receiver as its band',
    set({ freq_lower_hz: 9e8, freq_upper_hz: 1.12e10 }, AT_ATA),
  ],
  'feed-spectral-line': [
    'has a band of 1 MHz around a spectral line',
    set({ freq_lower_hz: 1419905752, freq_upper_hz: 1420905752 }),
  ],
  'feed-several-bands': [
    'has a record for each of several bands of one observation',
    repeat(
      AT_ATA,
      { freq_lower_hz: 1155e6, freq_upper_hz: 1845e6 },
      { freq_lower_hz: 2655e6, freq_upper_hz: 3345e6 },
    ),
  ],
  'feed-running': [
    'has a record that has been running for hours',
    set({ src_id: 'x', src_dec_j2000_deg: 80, src_start_utc: '2029-12-31T18:00:00.000000' }),
  ],
  'feed-just-ended': [
    'has a record that ended half a minute ago',
    set({ src_start_utc: '2029-12-31T23:50:00.000000', src_end_utc: '2029-12-31T23:59:30.000000' }),
  ],
  'feed-short-scan': [
    'has a scan of 10 s without a slew',
    set({ slew_sec: 0, src_end_utc: '2030-01-01T00:05:10.000541' }),
  ],
  'feed-long-track': ['has a track of 11 hours', set({ src_end_utc: '2030-01-01T11:23:40' }, 5)],
  'feed-low-band-of-array': [
    'has the lowest band of the VLA next to its highest',
    inTurn(
      set({ freq_lower_hz: 40e9, freq_upper_hz: 50e9 }, NEXT_AT_VLA),
      set({ freq_lower_hz: 54e6, freq_upper_hz: 86e6 }),
    ),
  ],
  'feed-fast-slews': ['reaches each target in a tenth of a second', setAll({ slew_sec: 0.1 })],
  'feed-half-a-year-ahead': [
    'has a last record in half a year',
    set(
      {
        src_id: 'x',
        src_dec_j2000_deg: 75,
        src_start_utc: '2030-07-01T00:23:40.000436',
        src_end_utc: '2030-07-01T00:53:40.000000',
      },
      5,
    ),
  ],
  'feed-overlapping-bands': [
    'has bands of one observation that overlap by nine tenths',
    repeat(AT_ATA, { freq_lower_hz: 1990250000, freq_upper_hz: 1995250000 }),
  ],

  // Sites and instruments that differ from most.
  'feed-subarrays': [
    'has two subarrays of one site at two targets',
    repeat(AT_VLA, { subarray: 1, src_id: 'y', src_ra_j2000_deg: 350 }),
  ],
  'feed-subarrays-one-target': [
    'has two subarrays of one site at one target in one band',
    repeat(AT_VLA, { subarray: 1, src_start_utc: '2030-01-01T00:05:10.000541' }),
  ],
  'feed-subarrays-left-out': [
    'has several targets of one site at once, and leaves out the subarrays',
    inTurn(repeat(AT_ATA, { src_id: 'y', src_ra_j2000_deg: 10 }), leaveOut('subarray')),
  ],
  'feed-vla-of-2023': [
    'has the position of the VLA that was published in 2023-06',
    (records) =>
      records.map((one) =>
        one.site_id === 'vla_D'
          ? { ...one, site_id: 'vla', site_lat_deg: 34.07861, site_lon_deg: -107.61806, site_el_m: 2115 }
          : one,
      ),
  ],
  'feed-two-configurations': ['has one site under two configurations', set({ site_id: 'vla_DnC' })],
  'feed-name-of-observatory': [
    'names the Allen Telescope Array by its observatory',
    set({ site_id: 'HCRO' }, AT_ATA),
  ],
  'feed-kokee': [
    'has the antenna at Kōkeʻe',
    elsewhere({ site_id: 'KK', site_lat_deg: 22.1266, site_lon_deg: -159.6651, site_el_m: 1176.58 }),
  ],
  'feed-ovro': [
    'has an instrument at Owens Valley',
    elsewhere({
      site_id: 'OVRO_40m',
      site_lat_deg: 37.2317,
      site_lon_deg: -118.2827,
      site_el_m: 1222,
    }),
  ],
  'feed-vlba': [
    'has a station of the VLBA',
    elsewhere({
      site_id: 'vlba_FD',
      site_lat_deg: 30.635,
      site_lon_deg: -103.9448,
      site_el_m: 1606,
    }),
  ],
  'feed-unknown-site': [
    'has a site that the profile does not know',
    elsewhere({ site_id: 'T1', site_lat_deg: 12.5, site_lon_deg: 8.25, site_el_m: 4000 }),
  ],
  'feed-vlbi': [
    'has four stations of the VLBA on one target at once',
    (records) =>
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
  ],
  'feed-next-to-known-site': [
    'has an instrument that is a kilometre from Westford',
    elsewhere({
      site_id: 'Haystack',
      site_lat_deg: 42.6233,
      site_lon_deg: -71.4882,
      site_el_m: 131,
      dish_diameter_m: 37,
    }),
  ],
  'feed-two-instruments-one-place': [
    'has two instruments of an observatory at one position',
    (records) =>
      ['A1', 'B7'].map((id, at) => ({
        ...records[0],
        site_id: id,
        site_lat_deg: 36,
        site_lon_deg: -110,
        dish_diameter_m: at === 0 ? 25 : 12,
      })),
  ],
  'feed-ids-in-both-cases': [
    'has two sites whose ids differ only in capitals',
    (records) =>
      ['Mc', 'MC'].map((id, at) => ({
        ...records[0],
        site_id: id,
        site_lat_deg: 36 + at,
        site_lon_deg: -110,
      })),
  ],
  'feed-effective-dish': [
    'has the effective diameter of the dishes of the VLA',
    change(({ site_id: id }) => (id === 'vla_D' ? { dish_diameter_m: 21 } : {})),
  ],
  'feed-dipoles': [
    'has an array of dipoles, whose elements are smaller than a wave',
    elsewhere({
      site_id: 'LWA1',
      site_lat_deg: 34.0689,
      site_lon_deg: -107.6283,
      site_el_m: 2126,
      dish_diameter_m: 3,
      freq_lower_hz: 10e6,
      freq_upper_hz: 40e6,
    }),
  ],
  'feed-low-frequency-station': [
    'has a station of 85 m that observes from 10 to 30 MHz',
    elsewhere({
      site_id: 'SE607',
      site_lat_deg: 57.3989,
      site_lon_deg: 11.9301,
      site_el_m: 20,
      dish_diameter_m: 85,
      freq_lower_hz: 10e6,
      freq_upper_hz: 30e6,
    }),
  ],

  // Targets that look odd and are right.
  'feed-erratic-target': [
    'has three positions at once for a target that moves erratically',
    repeat(AT_VLA, { src_ra_j2000_deg: 25.2 }, { src_dec_j2000_deg: 34.1 }),
  ],
  'feed-erratic-target-unnamed': [
    'has three positions at once of one dish, each with its own name',
    repeat(
      AT_GBT,
      { src_id: 'comet, second', src_ra_j2000_deg: 51 },
      { src_id: 'comet, third', src_dec_j2000_deg: 42.5 },
    ),
  ],
  'feed-moving-target': [
    'follows a target that moves, in two records that overlap',
    inTurn(
      set({ src_id: 'comet', trk_rate_ra_deg_per_sec: 0.0005 }),
      repeat(AT_VLA, { src_ra_j2000_deg: 40 }),
    ),
  ],
  'feed-m31-mosaic': [
    'has a mosaic of a galaxy, all of it below 24 degrees of right ascension',
    (records) =>
      [10.2, 10.4, 10.6847, 10.9, 11.1, 11.3].map((ra, at) => ({
        ...records[0],
        src_id: 'M31',
        src_ra_j2000_deg: ra,
        src_dec_j2000_deg: 41.27,
        src_start_utc: `2030-01-01T00:${10 + at}:00`,
        src_end_utc: `2030-01-01T00:${11 + at}:00`,
      })),
  ],
  'feed-b1950-name': [
    'has a target with a B1950 name at its position in J2000',
    set({ src_id: 'B0134+329' }),
  ],
  'feed-pulsar-name': [
    'has a pulsar with a survey in front of its name, and a pointing next to it',
    set({ src_id: 'PSRJ0137+33_off', src_dec_j2000_deg: 33.9 }),
  ],
  'feed-name-with-digits': [
    'has a name that only looks like coordinates',
    change(({ src_id: id }) => ({ src_id: `J9999+9999 ${id === 'NGC628' ? '' : 'scan'}`.trim() })),
  ],
  'feed-low-elevation': [
    'has a target that rises during its record',
    set(
      {
        src_id: 'x',
        src_ra_j2000_deg: 100,
        src_dec_j2000_deg: 0,
        src_end_utc: '2030-01-01T03:30:00.000000',
        subarray: 2,
      },
      AT_VLA,
    ),
  ],
  'feed-ra-360': ['has a right ascension of 360 degrees', set({ src_id: 'x', src_ra_j2000_deg: 360 })],
  'feed-3c-name': [
    'has calibrators under their 3C names, at their positions',
    inTurn(set({ src_id: '3C48' }), set({ src_id: '3C454.3' }, AT_ATA), set({ src_id: '3C 84-b' }, AT_GBT)),
  ],
  'feed-3c-name-off': [
    'has a pointing one degree from 3C 48',
    set({ src_id: '3C48 off', src_dec_j2000_deg: 34.1598 }),
  ],
  'feed-phase-calibrator': [
    'has the phase calibrator of a target, which is named after it',
    set({ src_id: '3C286 phase calibrator' }),
  ],
  'feed-parkes-name': [
    'has a target of the Parkes catalogue at its position',
    set({ src_id: 'PKS0134+329' }),
  ],
  'feed-wide-mosaic': [
    'has fields of one galaxy that are six degrees apart',
    set({ src_id: 'NGC628', src_ra_j2000_deg: 30, src_dec_j2000_deg: 18 }, NEXT_AT_VLA),
  ],
  'feed-generic-names': ['calls all its targets by one word', setAll({ src_id: 'target' })],
  'feed-survey-near-zero': [
    'has a survey around right ascension 1 and declination 0',
    (records) =>
      [1, 1.3, 1.6, 1.9, 2.2, 2.5].map((ra, at) => ({
        ...records[0],
        src_id: `S82 ${at}`,
        src_ra_j2000_deg: ra,
        src_dec_j2000_deg: 0.2 * at,
        src_start_utc: `2030-01-01T00:${10 + at}:00`,
        src_end_utc: `2030-01-01T00:${11 + at}:00`,
      })),
  ],
  'feed-satellite': [
    'follows a geostationary satellite for three minutes',
    set({
      src_id: 'GOES 16',
      trk_rate_ra_deg_per_sec: 0.00417807,
      src_end_utc: '2030-01-01T00:08:00.000541',
    }),
  ],
});
