/** Feeds that write what is permitted in other ways. */
import { change, leaveOut, legacy, set, setAll } from '../edits.ts';
import type { PermittedFeed } from '../subject.ts';

const mapTimes = (map: (time: string) => string) =>
  change(({ src_start_utc: start, src_end_utc: end }) => ({
    src_start_utc: map(String(start)),
    src_end_utc: map(String(end)),
  }));

export const permittedSpellings: readonly PermittedFeed[] = [
  { name: 'feed-plain', summary: 'is the base feed' },
  { name: 'feed-empty', summary: 'has no records', records: () => [] },
  {
    name: 'feed-compact',
    summary: 'is written without spaces',
    text: (body) => JSON.stringify(JSON.parse(body)),
  },
  {
    name: 'feed-members-around',
    summary: 'has other members next to the list',
    text: (body) => JSON.stringify({ generated: 'now', ...JSON.parse(body), count: 6 }),
  },
  {
    name: 'feed-reversed-members',
    summary: 'writes the members of records in another order',
    records: (records) => records.map((one) => Object.fromEntries(Object.entries(one).toReversed())),
  },
  {
    name: 'feed-charset',
    summary: 'is served as application/json with a charset',
    contentType: 'Application/JSON; charset=UTF-8',
  },
  {
    name: 'feed-json-suffix',
    summary: 'is served as a type that ends with +json',
    contentType: 'application/vnd.ods+json',
  },
  { name: 'feed-z', summary: 'writes Z after times', records: mapTimes((time) => `${time}Z`) },
  {
    name: 'feed-whole-seconds',
    summary: 'writes whole seconds',
    records: mapTimes((time) => time.slice(0, 19)),
  },
  {
    name: 'feed-exponents',
    summary: 'writes frequencies with exponents',
    text: (body) => body.replaceAll('1990000000', '1.99e9'),
  },
  {
    name: 'feed-decimals',
    summary: 'writes whole numbers with a fraction',
    text: (body) => body.replace(/("(?:dish_diameter_m|slew_sec)": \d+)(?=,)/g, '$1.0'),
  },
  {
    name: 'feed-optional-left-out',
    summary: 'leaves out the optional fields',
    records: leaveOut('src_id', 'corr_integ_time_sec', 'subarray'),
  },
  {
    name: 'feed-dish-zero',
    summary: 'has 0 for dishes that are not known',
    records: setAll({ dish_diameter_m: 0 }),
  },
  {
    name: 'feed-no-slew',
    summary: 'has 0 for slew times',
    records: setAll({ slew_sec: 0 }),
  },
  {
    name: 'feed-extension',
    summary: 'has the bands that are observed in an extension, as HCRO has',
    records: change(({ freq_lower_hz, freq_upper_hz }) => ({
      freq_actual_hz: [{ freq_lower_hz, freq_upper_hz }],
    })),
    warns: { 'unknown-field': /"freq_actual_hz", in 6 of 6/ },
  },
  {
    name: 'feed-names-in-other-scripts',
    summary: 'has names with letters outside of ASCII',
    records: set({ src_id: 'β Lyræ – offset' }),
  },
  {
    name: 'feed-legacy-agreed',
    summary: 'follows the schema of 2023-08 where that is agreed',
    records: legacy(),
    profile: 'legacy',
  },
  {
    name: 'feed-legacy-pulsar',
    summary: 'follows that schema, and has a pulsar without an integration time',
    records: (records) => legacy({ src_is_pulsar_bool: true })(leaveOut('corr_integ_time_sec')(records)),
    profile: 'legacy',
  },
  {
    name: 'feed-legacy-and-current',
    summary: 'has records of both schemas where the earlier one is agreed',
    records: (records) => [...legacy()(records.slice(0, 1)), ...records.slice(1)],
    profile: 'legacy',
  },
  {
    name: 'feed-joined-letters',
    summary: 'has a name with a joiner, which its script needs',
    records: set({ src_id: 'ستاره\u200cی نوترونی' }),
  },
  {
    name: 'feed-long-names',
    summary: 'has a name of three thousand letters',
    records: set({ src_id: 'x'.repeat(3000) }),
  },
  {
    name: 'feed-nanoseconds',
    summary: 'writes nine digits of a second',
    records: mapTimes((time) => `${time}123`),
  },
  {
    name: 'feed-leap-second',
    summary: 'has a last record that ends with a leap second',
    records: set(
      {
        src_id: 'x',
        src_dec_j2000_deg: 75,
        src_start_utc: '2030-06-30T23:00:00',
        src_end_utc: '2030-06-30T23:59:60',
      },
      5,
    ),
  },
];
