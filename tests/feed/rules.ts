/** The rules for mitigation request records: what each requires, why, its source, and what to do. */

/**
 * `S` follows from published text, `D` is a defect seen in public data or code, `H` is a heuristic. S and D are
 * findings and fail a feed; H is a warning.
 */
export type RuleClass = 'S' | 'D' | 'H';

export interface Rule {
  id: RuleId;
  /** For `site-position`, the stricter of its two classes. */
  class: RuleClass;
  statement: string;
  why: string;
  source: string;
  remedy: string;
}

export type RuleId = keyof typeof TABLE;

const FORMAT = 'https://obs.vla.nrao.edu/ods/index.html/data_format.html';
const LANDING = 'https://obs.vla.nrao.edu/ods';
const DESIGN =
  'https://open-confluence.nrao.edu/pages/diffpages.action?originalId=131138327&pageId=131138341';
const ODSUTILS =
  'https://github.com/david-deboer/odsutils/blob/b182a9c4d98dc766a240264af9ce38c6a32528a9/odsutils/ods_standard.py';
const ODSUTILS_DEFAULTS =
  'https://github.com/david-deboer/odsutils/blob/b182a9c4d98dc766a240264af9ce38c6a32528a9/odsutils/data/ods_defaults_ata_B.json';
const TOOLS =
  'https://github.com/david-deboer/odsutils/blob/b182a9c4d98dc766a240264af9ce38c6a32528a9/odsutils/ods_tools.py';
const WRITER =
  'https://github.com/ste616/atca-op-data-sharing/blob/5d073e2388f68f097922d7a645fa5788d8370656/atca_ods_service.py';
const SENDER = 'https://open-confluence.nrao.edu/display/Arch/GBT+Data+Sender';

const TABLE = {
  'not-json': {
    class: 'S',
    statement: 'The body is one complete JSON text in UTF-8 without a byte order mark.',
    why: 'A client that cannot parse the body learns of no observation. A file that is overwritten in place is read half written.',
    source: TOOLS,
    remedy: 'Write to a temporary file and rename it; send null where a number is unknown, never NaN.',
  },
  envelope: {
    class: 'S',
    statement: 'The list of records is where the profile puts it.',
    why: 'A client looks for the list in one place. An error in place of data reads as an empty schedule.',
    source: LANDING,
    remedy: 'Send one object with the list as its member; an empty list if nothing is scheduled.',
  },
  'legacy-schema': {
    class: 'D',
    statement: 'A record follows schema v1.0.0, not its predecessor.',
    why: 'Field names before v1.0.0 had no units, and current clients do not read them.',
    source: 'https://www.haystack.mit.edu/ods/',
    remedy: 'Send the fields of schema v1.0.0, with version.',
  },
  required: {
    class: 'S',
    statement: 'Every required field is present and is not null.',
    why: 'A record without its place, time or band protects nothing.',
    source: FORMAT,
    remedy: 'Fill the field; where the value is unknown, leave the record out until it is known.',
  },
  type: {
    class: 'S',
    statement: 'Each field has the JSON type that the schema declares.',
    why: 'Clients in typed languages reject the whole feed for one field of another type.',
    source: FORMAT,
    remedy: 'Send the declared type.',
  },
  'digit-string': {
    class: 'D',
    statement: 'A number is a JSON number, not a string of digits.',
    why: 'Positions as strings occur in public data; they come from a defaults file and compare as strings.',
    source: ODSUTILS_DEFAULTS,
    remedy: 'Send the number without quotes.',
  },
  range: {
    class: 'S',
    statement: 'Each value is within the bounds that the schema declares.',
    why: 'A declination of -95 points nowhere.',
    source: FORMAT,
    remedy: 'Correct the value; a common cause is a unit other than the one in the name of the field.',
  },
  'time-format': {
    class: 'S',
    statement: 'A time is a valid calendar time in UTC, without a zone or with Z.',
    why: 'A public client turns a time with an offset into null and publishes that.',
    source: LANDING,
    remedy: 'Send UTC as 2030-01-31T12:00:00, with or without a fraction and Z.',
  },
  'time-style': {
    class: 'D',
    statement: 'Either all times of a response have Z, or none has.',
    why: 'Many libraries refuse to compare a time that has a zone with one that has none.',
    source: ODSUTILS,
    remedy: 'Choose one style for all records.',
  },
  interval: {
    class: 'D',
    statement: 'A record starts before it ends.',
    why: 'A record of no length protects nothing. Trimming an interval is known to leave such records.',
    source: ODSUTILS,
    remedy: 'Leave the record out, or correct its times.',
  },
  'frequency-order': {
    class: 'D',
    statement: 'The lower edge of a band is below its upper edge.',
    why: 'An inverted band contains no frequency, so nothing is avoided.',
    source: ODSUTILS,
    remedy: 'Swap the edges, or correct the band.',
  },
  'frequency-unit': {
    class: 'H',
    statement: 'The upper edge of a band is between 10 MHz and 1 THz.',
    why: 'A smaller number is often megahertz in a field of hertz.',
    source: FORMAT,
    remedy: 'Check that the band is in hertz.',
  },
  'hours-for-degrees': {
    class: 'H',
    statement: 'Of five or more right ascensions at least one is 24 degrees or more.',
    why: 'If all are below 24, they may be hours, which a consumer reads as degrees.',
    source: WRITER,
    remedy: 'Check that right ascension is in degrees: hours times 15.',
  },
  'swapped-coordinates': {
    class: 'H',
    statement: 'Right ascension, declination, latitude and longitude are each in their own field.',
    why: 'Swapped values point elsewhere, and are often still within their bounds.',
    source: SENDER,
    remedy: 'Check which value belongs to which field.',
  },
  'site-position': {
    class: 'D',
    statement: 'A known instrument is at its known position.',
    why: 'Operators place beams by this position. Beyond 1 degree or 500 m of height it is wrong; beyond 0.01 degrees or 100 m it is a warning.',
    source: LANDING,
    remedy: 'Correct the position, or give another instrument another site_id.',
  },
  past: {
    class: 'S',
    statement: 'No record ended more than 60 s before it was served.',
    why: 'A past observation needs no protection, and shows that the feed is no longer written.',
    source: DESIGN,
    remedy: 'Serve only records whose end is now or later. Judge a saved feed with --at its time.',
  },
  order: {
    class: 'S',
    statement: 'Records are sorted by their start.',
    why: 'Clients read the next observation from the top.',
    source: DESIGN,
    remedy: 'Sort by src_start_utc.',
  },
  duplicate: {
    class: 'D',
    statement: 'No record is in the feed twice.',
    why: 'Records have no id: a client counts the same observation twice. 1 and 1.0 are the same number.',
    source: TOOLS,
    remedy: 'Compare numbers as numbers and times as times when records are merged.',
  },
  overlap: {
    class: 'H',
    statement: 'One subarray of a site has one target at a time in a band.',
    why: 'An instrument cannot point two ways. Several bands, subarrays and sites at once are normal.',
    source: 'https://open-confluence.nrao.edu/display/Arch/VLA+data+sender+description',
    remedy: 'Check whether one of the two was replaced, or belongs to another subarray.',
  },
  'unknown-field': {
    class: 'H',
    statement: 'Each field is one that the schema declares.',
    why: 'Extensions are permitted and clients ignore them, so a mistyped optional field goes unnoticed.',
    source: FORMAT,
    remedy: 'Check that it is an extension and not a mistyped name.',
  },
  'one-version': {
    class: 'H',
    statement: 'All records of a response have the same version.',
    why: 'Two versions in one list mean two sources, one of which was not updated.',
    source: FORMAT,
    remedy: 'Bring every sender to the same version.',
  },
  'moving-target': {
    class: 'H',
    statement: 'A record does not follow its target over more than one degree.',
    why: 'Motion is treated as linear; over a longer path the target leaves the protected position.',
    source: 'https://obs.vla.nrao.edu/ods/index.html/use_cases.html',
    remedy: 'Split the record into several in sequence.',
  },
  stale: {
    class: 'D',
    statement: 'A record that ends between two reads is gone from the second.',
    why: 'A writer that lost its connection leaves the old file in place, and nothing else shows it.',
    source: WRITER,
    remedy: 'Select records at the time of the request, or take the feed down when its writer stops.',
  },
  'unstable-order': {
    class: 'H',
    statement: 'Two reads of the same records have them in the same order.',
    why: 'A client that compares reads would see changes where there are none.',
    source: DESIGN,
    remedy: 'Sort by more than the start where several records start together.',
  },
} as const satisfies Record<string, Omit<Rule, 'id'>>;

/** In the order of reports. */
export const RULES: readonly Rule[] = Object.entries(TABLE).map(([id, rule]) => ({
  id: id as RuleId,
  ...rule,
}));

const byId = new Map<string, Rule>(RULES.map((rule) => [rule.id, rule]));

export const findRule = (id: string): Rule | undefined => byId.get(id);

export function ruleOf(id: RuleId): Rule {
  return byId.get(id) as Rule;
}
