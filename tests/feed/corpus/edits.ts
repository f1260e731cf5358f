/** The edits of feeds.yaml that take code, by the names of the feeds. */

export type FeedRecord = Record<string, unknown>;

interface Edit {
  /** Changes the records, which are a copy. */
  records?: (records: FeedRecord[]) => unknown[];
  /** Changes the JSON text of the body. */
  text?: (body: string) => string;
}

const LEGACY = { src_is_pulsar_bool: false, src_radius: 0, notes: 'inAdv:True' };

const without = (names: readonly string[], records: readonly FeedRecord[]): FeedRecord[] =>
  records.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !names.includes(name))));

/** The records in the schema of 2023-08. */
export const legacyRecords = (records: readonly FeedRecord[]): FeedRecord[] =>
  without(['version', 'dish_diameter_m', 'subarray'], records).map((one) => ({ ...one, ...LEGACY }));

const set = (fields: FeedRecord): Edit => ({
  records: ([first, ...others]) => [{ ...first, ...fields }, ...others],
});

/** Sets fields of every record by what the record has, and its index. */
const change = (fieldsOf: (record: FeedRecord, at: number) => FeedRecord): Edit => ({
  records: (records) => records.map((one, at) => ({ ...one, ...fieldsOf(one, at) })),
});

const mapTimes = (map: (time: string) => string): Edit =>
  change(({ src_start_utc: start, src_end_utc: end }) => ({
    src_start_utc: map(String(start)),
    src_end_utc: map(String(end)),
  }));

/** One record for each member, made of the first. */
const series = <Member>(
  members: readonly Member[],
  fieldsOf: (member: Member, at: number) => FeedRecord,
): Edit => ({
  records: ([first]) => members.map((member, at) => ({ ...first, ...fieldsOf(member, at) })),
});

/** Observations of a minute, one after the other. */
const minute = (at: number): FeedRecord => ({
  src_start_utc: `2030-01-01T00:${10 + at}:00`,
  src_end_utc: `2030-01-01T00:${11 + at}:00`,
});

const sorted = (records: readonly FeedRecord[]): FeedRecord[] =>
  records.toSorted((a, b) => String(a.src_start_utc).localeCompare(String(b.src_start_utc)));

/** Writes a member into the first record. */
const insert = (text: string): Edit => ({ text: (body) => body.replace(/"slew_sec": 42.5,/, `$& ${text}`) });

const unknownSite = { site_id: 'T1', dish_diameter_m: 25, site_lon_deg: -110 };

export const EDITS: Readonly<Record<string, Edit>> = {
  // The text of the body.
  'feed-truncated': { text: (body) => body.slice(0, body.length / 2) },
  'feed-nan': { text: (body) => body.replace('"slew_sec": 42.5', '"slew_sec": NaN') },
  'feed-python': { text: (body) => body.replaceAll('"', "'") },
  'feed-trailing-comma': { text: (body) => body.replace(/\}\s*\]/, '},]') },
  'feed-byte-order-mark': { text: (body) => `\ufeff${body}` },
  'feed-two-bodies': { text: (body) => `${body}\n${body}` },
  'feed-html-page': { text: () => '<!doctype html><title>502</title>' },
  'feed-error-object': { text: () => '{"detail": "Not authenticated"}' },
  'feed-bare-list': { text: (body) => JSON.stringify(JSON.parse(body).ods_data) },
  'feed-other-member': { text: (body) => body.replace('"ods_data"', '"ossods_data"') },
  'feed-null-list': { text: () => '{"ods_data": null}' },
  'feed-duplicate-key': insert('"src_start_utc": "2030-01-01T00:05:10",'),
  'feed-members-around': {
    text: (body) => JSON.stringify({ generated: 'now', ...JSON.parse(body), count: 6 }),
  },

  // The list.
  'feed-text-for-record': { records: (records) => [...records, 'end'] },
  'feed-unsorted': { records: (records) => records.toReversed() },
  'feed-empty': { records: () => [] },
  'feed-start-end-swapped': { records: sorted },
  'feed-two-targets': { records: sorted },
  'feed-legacy-and-current': {
    records: (records) => [...legacyRecords(records.slice(0, 1)), ...records.slice(1)],
  },

  // Characters.
  'feed-zero-width-source': set({ src_id: 'NGC\u200b628' }),
  'feed-direction-source': set({ src_id: '\u202eNGC 628' }),
  'feed-half-character-source': set({ src_id: 'star \ud83c' }),
  'feed-joined-letters': set({ src_id: 'ستاره\u200cی نوترونی' }),
  'feed-long-names': set({ src_id: 'x'.repeat(3000) }),

  // Every record, by what it has.
  'feed-z': mapTimes((time) => `${time}Z`),
  'feed-whole-seconds': mapTimes((time) => time.slice(0, 19)),
  'feed-nanoseconds': mapTimes((time) => `${time}123`),
  'feed-unknown-field': change(({ corr_integ_time_sec: seconds }) => ({ corr_integ_time_secs: seconds })),
  'feed-extension': change(({ freq_lower_hz, freq_upper_hz }) => ({
    freq_actual_hz: [{ freq_lower_hz, freq_upper_hz }],
  })),
  'feed-name-with-digits': change(({ src_id: id }) => ({
    src_id: `J9999+9999 ${id === 'NGC628' ? '' : 'scan'}`.trim(),
  })),
  'feed-site-at-two-places': change((_, at) => ({
    ...unknownSite,
    site_lat_deg: at === 3 ? 37 : 36,
    site_el_m: 1000,
    subarray: at,
  })),
  'feed-site-at-two-heights': change((_, at) => ({
    ...unknownSite,
    site_lat_deg: 36,
    site_el_m: at === 3 ? 1819 : 1019,
    subarray: at,
  })),

  // Several of one record.
  'feed-m31-mosaic': series([10.2, 10.4, 10.6847, 10.9, 11.1, 11.3], (ra, at) => ({
    src_id: 'M31',
    src_ra_j2000_deg: ra,
    src_dec_j2000_deg: 41.27,
    ...minute(at),
  })),
  'feed-two-galaxies': series([9.9, 10.4, 10.9, 11.4, 23.1, 23.6], (ra, at) => ({
    src_id: at < 4 ? 'M31' : 'M33',
    src_ra_j2000_deg: ra,
    src_dec_j2000_deg: at < 4 ? 41.27 : 30.66,
    ...minute(at),
  })),
  'feed-all-ra-in-hours': series([1.6, 5.3, 9.1, 13.5, 19.9, 22.4], (ra, at) => ({
    src_id: `field ${at}`,
    src_ra_j2000_deg: ra,
    src_dec_j2000_deg: 75,
    ...minute(at),
  })),
  'feed-survey-near-zero': series([1, 1.3, 1.6, 1.9, 2.2, 2.5], (ra, at) => ({
    src_id: `S82 ${at}`,
    src_ra_j2000_deg: ra,
    src_dec_j2000_deg: 0.2 * at,
    ...minute(at),
  })),
  'feed-kokee-elsewhere': series([176], (el) => ({
    site_id: 'KK',
    site_lat_deg: 22.1266,
    site_lon_deg: -159.6651,
    site_el_m: el,
    src_id: 'x',
    src_dec_j2000_deg: 80,
  })),
  'feed-vlbi': series(
    [
      ['vlba_PT', 34.301003, -108.119183, 2365],
      ['vlba_LA', 35.775125, -106.245597, 1962],
      ['vlba_FD', 30.635031, -103.944817, 1606],
      ['vlba_KP', 31.956306, -111.612422, 1902],
    ],
    ([id, lat, lon, el]) => ({ site_id: id, site_lat_deg: lat, site_lon_deg: lon, site_el_m: el }),
  ),
  'feed-two-instruments-one-place': series(['A1', 'B7'], (id, at) => ({
    site_id: id,
    site_lat_deg: 36,
    site_lon_deg: -110,
    dish_diameter_m: at === 0 ? 25 : 12,
  })),
  'feed-ids-in-both-cases': series(['Mc', 'MC'], (id, at) => ({
    site_id: id,
    site_lat_deg: 36 + at,
    site_lon_deg: -110,
  })),
};
