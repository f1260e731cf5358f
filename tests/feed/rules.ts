/** The rules that mitigation request records are judged by: what each asks, why, where it comes from, what to do. */

/**
 * `S` follows from published text, `D` names a defect that was seen in public data or code, `H` is a guess worth a
 * look. S and D are findings and fail a feed; H is a warning.
 */
export type RuleClass = 'S' | 'D' | 'H';

export interface Rule {
  id: RuleId;
  /** Of `site-position` the graver of two. */
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
    statement: 'The body is one JSON text, in UTF-8 without a byte order mark, and it is whole.',
    why: 'A client that cannot parse the body learns of no observation at all. A file that is overwritten in place is caught half written.',
    source: TOOLS,
    remedy: 'Write to a file beside it and rename that; send null where a number is unknown, never NaN.',
  },
  envelope: {
    class: 'S',
    statement: 'The list of records stands where the profile has it.',
    why: 'A client looks for the list in one place. An error in the place of data reads as an empty schedule.',
    source: LANDING,
    remedy: 'Send one object whose member is the list, an empty one when nothing is to come.',
  },
  'legacy-schema': {
    class: 'D',
    statement: 'A record is of schema v1.0.0, and not of the one before it.',
    why: 'The names before v1.0.0 carried no units, and clients of today do not read them.',
    source: 'https://www.haystack.mit.edu/ods/',
    remedy: 'Send the fields of schema v1.0.0, with version.',
  },
  required: {
    class: 'S',
    statement: 'Every required field is there and is not null.',
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
    statement: 'A number is a JSON number and not a text of digits.',
    why: 'Positions as text are in public data; they come from a defaults file and compare as text.',
    source: ODSUTILS_DEFAULTS,
    remedy: 'Send the number without quotes.',
  },
  range: {
    class: 'S',
    statement: 'Each value lies within the bounds that the schema declares.',
    why: 'A declination of -95 points nowhere.',
    source: FORMAT,
    remedy: 'Correct the value; a common cause is another unit than the name of the field says.',
  },
  'time-format': {
    class: 'S',
    statement: 'A time is a time of the calendar in UTC, without a zone or with Z.',
    why: 'A public client turns a time with an offset into null and publishes that.',
    source: LANDING,
    remedy: 'Send UTC as 2030-01-31T12:00:00, with or without a fraction and Z.',
  },
  'time-style': {
    class: 'D',
    statement: 'All times of one response have Z, or none has.',
    why: 'Many libraries refuse to compare a time with a zone with one without.',
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
    statement: 'The lower edge of a band lies below its upper edge.',
    why: 'No frequency lies in an inverted band, so nothing is avoided.',
    source: ODSUTILS,
    remedy: 'Swap the edges, or correct the band.',
  },
  'frequency-unit': {
    class: 'H',
    statement: 'The upper edge of a band lies between 10 MHz and 1 THz.',
    why: 'A lower number is often one of megahertz in a field of hertz.',
    source: FORMAT,
    remedy: 'See that the band is given in hertz.',
  },
  'hours-for-degrees': {
    class: 'H',
    statement: 'Of five or more right ascensions at least one is 24 degrees or more.',
    why: 'When all are below 24 they may be hours, which a consumer takes for degrees.',
    source: WRITER,
    remedy: 'See that right ascension is given in degrees: hours times 15.',
  },
  'swapped-coordinates': {
    class: 'H',
    statement: 'Right ascension and declination, latitude and longitude stand each in its own field.',
    why: 'Swapped, the values point elsewhere, and often still lie within their bounds.',
    source: SENDER,
    remedy: 'See which value belongs to which field.',
  },
  'site-position': {
    class: 'D',
    statement: 'A known instrument stands where it is known to stand.',
    why: 'Operators place beams by this position. Beyond 1 degree or 500 m of height it is wrong; beyond 0.01 degrees or 100 m it is worth a look.',
    source: LANDING,
    remedy: 'Correct the position, or give another instrument another site_id.',
  },
  past: {
    class: 'S',
    statement: 'No record ended more than 60 s before it was served.',
    why: 'What is over needs no protection, and tells that the feed has stopped being written.',
    source: DESIGN,
    remedy: 'Serve the records whose end is now or later. For a feed saved earlier, judge it --at its time.',
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
    statement: 'No record stands in the feed twice.',
    why: 'Records have no id: a client counts the same observation twice. 1 and 1.0 are the same number.',
    source: TOOLS,
    remedy: 'Compare numbers as numbers and times as times when records are merged.',
  },
  overlap: {
    class: 'H',
    statement: 'One subarray of a site has one target at a time in a band.',
    why: 'An instrument cannot point two ways. Several bands, subarrays and sites at once are normal.',
    source: 'https://open-confluence.nrao.edu/display/Arch/VLA+data+sender+description',
    remedy: 'See whether one of the two was replaced, or belongs to another subarray.',
  },
  'unknown-field': {
    class: 'H',
    statement: 'Each field is one that the schema knows.',
    why: 'Extensions are permitted and clients pass them over; a mistyped optional field would go unnoticed.',
    source: FORMAT,
    remedy: 'See that it is an extension and not a mistyped name.',
  },
  'one-version': {
    class: 'H',
    statement: 'All records of a response are of one version.',
    why: 'Two versions in one list mean two sources, one of which was left behind.',
    source: FORMAT,
    remedy: 'Bring every sender to the same version.',
  },
  'moving-target': {
    class: 'H',
    statement: 'A record does not follow its target by more than a degree.',
    why: 'Motion is taken as linear; over a longer way it leaves the protected place.',
    source: 'https://obs.vla.nrao.edu/ods/index.html/use_cases.html',
    remedy: 'Split the record into several in sequence.',
  },
  stale: {
    class: 'D',
    statement: 'A record that ends between two reads is gone from the second.',
    why: 'A writer that lost its connection leaves the old file in place, and nothing else marks it.',
    source: WRITER,
    remedy: 'Select records when they are asked for, or take the feed down when its writer stops.',
  },
  'unstable-order': {
    class: 'H',
    statement: 'Two reads of the same records have them in the same order.',
    why: 'A client that compares reads would see changes where there are none.',
    source: DESIGN,
    remedy: 'Sort by more than the start where several records start together.',
  },
} as const satisfies Record<string, Omit<Rule, 'id'>>;

/** In the order in which they are told. */
export const RULES: readonly Rule[] = Object.entries(TABLE).map(([id, rule]) => ({
  id: id as RuleId,
  ...rule,
}));

const byId = new Map<string, Rule>(RULES.map((rule) => [rule.id, rule]));

export const findRule = (id: string): Rule | undefined => byId.get(id);

export function ruleOf(id: RuleId): Rule {
  return byId.get(id) as Rule;
}
