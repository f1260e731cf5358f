/** The rules for mitigation request records: what each requires, why, its source, and what to do. */
import type { Severity } from '../support/verdict.ts';

/**
 * `S` follows from published text or from geometry, `D` is a defect seen in public data or code, `H` is a heuristic.
 * S and D are findings and fail a feed; H is a warning.
 */
export type RuleClass = 'S' | 'D' | 'H';

interface RuleText {
  /** For a rule with findings and warnings, the stricter of its classes. */
  class: RuleClass;
  /** What it means where the rule fails a feed. */
  severity: Severity;
  statement: string;
  why: string;
  source: string;
  remedy: string;
}

const FORMAT = 'https://obs.vla.nrao.edu/ods/index.html/data_format.html';
const LANDING = 'https://obs.vla.nrao.edu/ods';
const HAYSTACK = 'https://www.haystack.mit.edu/ods/';
const DESIGN =
  'https://open-confluence.nrao.edu/pages/diffpages.action?originalId=131138327&pageId=131138341';
const SENDER = 'https://open-confluence.nrao.edu/display/Arch/GBT+Data+Sender';
const VLA_SENDER = 'https://open-confluence.nrao.edu/display/Arch/VLA+data+sender+description';
const ODSUTILS_FILES =
  'https://github.com/david-deboer/odsutils/blob/b182a9c4d98dc766a240264af9ce38c6a32528a9/odsutils';
const ODSUTILS = `${ODSUTILS_FILES}/ods_standard.py` as const;
const ODSUTILS_DEFAULTS = `${ODSUTILS_FILES}/data/ods_defaults_ata_B.json` as const;
const ODSUTILS_CHECK = `${ODSUTILS_FILES}/ods_check.py` as const;
const TOOLS = `${ODSUTILS_FILES}/ods_tools.py` as const;
const WRITER =
  'https://github.com/ste616/atca-op-data-sharing/blob/5d073e2388f68f097922d7a645fa5788d8370656/atca_ods_service.py';
const READER = 'https://github.com/NSFCUSWIFTPASS/zms-ra-ingest/blob/main/src/ra_ingest/sources/ods.py';

/** In the order of reports. */
const TABLE = {
  // Rules for the response and its body as a whole.
  'media-type': {
    class: 'D',
    severity: 'breaks-clients',
    statement: 'A feed at a URL is served as application/json.',
    why: 'A public reader turns any other response into a record without values and keeps it.',
    source: ODSUTILS,
    remedy: 'Configure the server to send Content-Type: application/json for the file.',
  },
  'not-json': {
    class: 'S',
    severity: 'breaks-clients',
    statement: 'The body is one complete JSON text in UTF-8 without a byte order mark.',
    why: 'A client that cannot parse the body learns of no observation. A file that is overwritten in place is read half written.',
    source: TOOLS,
    remedy: 'Write to a temporary file and rename it; send null where a number is unknown, never NaN.',
  },
  envelope: {
    class: 'S',
    severity: 'breaks-clients',
    statement: 'The list of records is where the profile puts it.',
    why: 'A client looks for the list in one place. An error in place of data reads as an empty schedule.',
    source: LANDING,
    remedy: 'Send one object with the list as its member; an empty list if nothing is scheduled.',
  },
  'duplicate-key': {
    class: 'S',
    severity: 'wrong-data',
    statement: 'No object has two members of one name.',
    why: 'Readers differ in which of the two they take, so they see different observations.',
    source: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
    remedy: 'Send each member once.',
  },

  // Rules for single fields of a record.
  'legacy-schema': {
    class: 'D',
    severity: 'breaks-clients',
    statement: 'A record follows schema v1.0.0, not its predecessor of 2023.',
    why: 'A reader that checks records against v1.0.0 rejects it, as dish_diameter_m and version are not in it. Public readers still read the fields that both have.',
    source: HAYSTACK,
    remedy:
      'Send all required fields of schema v1.0.0. Where the older schema is agreed, judge with --profile legacy; all other fields are judged either way.',
  },
  required: {
    class: 'S',
    severity: 'breaks-clients',
    statement: 'Every required field is present and is not null.',
    why: 'A record without its place, time or band protects nothing.',
    source: FORMAT,
    remedy: 'Fill the field; where the value is unknown, leave the record out until it is known.',
  },
  type: {
    class: 'S',
    severity: 'breaks-clients',
    statement: 'Each field has the JSON type that the schema declares.',
    why: 'Clients in typed languages reject the whole feed for one field of another type.',
    source: FORMAT,
    remedy: 'Send the declared type.',
  },
  'digit-string': {
    class: 'D',
    severity: 'breaks-clients',
    statement: 'A number is a JSON number, not a string of digits.',
    why: 'Positions as strings occur in public data; they come from a defaults file and compare as strings.',
    source: ODSUTILS_DEFAULTS,
    remedy: 'Send the number without quotes.',
  },
  range: {
    class: 'S',
    severity: 'wrong-data',
    statement: 'Each value is within the bounds that the schema declares.',
    why: 'A declination of -95 points nowhere.',
    source: FORMAT,
    remedy: 'Correct the value; a common cause is a unit other than the one in the name of the field.',
  },
  'time-format': {
    class: 'S',
    severity: 'breaks-clients',
    statement: 'A time is a valid calendar time in UTC, without a zone or with Z.',
    why: 'A public client turns a time with an offset into null and publishes that.',
    source: LANDING,
    remedy: 'Send UTC as 2030-01-31T12:00:00, with or without a fraction and Z.',
  },
  'null-optional': {
    class: 'H',
    severity: 'breaks-clients',
    statement: 'An optional field that has no value is left out.',
    why: 'A public reader drops a record whose subarray is null, and the observation is not protected.',
    source: READER,
    remedy: 'Leave the field out where it has no value.',
  },
  identifier: {
    class: 'S',
    severity: 'form',
    statement: 'An identifier has visible characters only, and is written in one way.',
    why: 'Records have no id, so consumers compose one from site_id, src_id and the start. A part that is empty, padded, or has a character that no one sees is another instrument to them. For src_id, and for a site_id that is written in capitals elsewhere, it is a warning.',
    source: READER,
    remedy:
      'Send the identifier in one spelling, without blanks around it and without control characters; leave src_id out where there is none.',
  },
  'plausible-value': {
    class: 'S',
    severity: 'wrong-data',
    statement: 'A value is possible for a radio telescope.',
    why: 'A dish of kilometres, a site above every mountain or an observation in ten years is a number in another unit, or a default that no one filled in. Values that are only unusual, such as a start in a year, are warnings.',
    source: FORMAT,
    remedy: 'Correct the value: check the unit in the name of the field, and the year of a time.',
  },
  'zero-position': {
    class: 'S',
    severity: 'wrong-data',
    statement: 'A position is not 0, 0.',
    why: 'No telescope is at latitude 0 and longitude 0, which is in the sea. For the target it is a warning, as both zeros are the usual default.',
    source: FORMAT,
    remedy: 'Fill in the position.',
  },

  // Rules for the fields of a record together.
  interval: {
    class: 'D',
    severity: 'wrong-data',
    statement: 'A record starts before it ends.',
    why: 'A record of no length protects nothing. Trimming an interval is known to leave such records.',
    source: ODSUTILS,
    remedy: 'Leave the record out, or correct its times.',
  },
  'frequency-order': {
    class: 'D',
    severity: 'wrong-data',
    statement: 'The lower edge of a band is below its upper edge.',
    why: 'An inverted band contains no frequency, so nothing is avoided.',
    source: ODSUTILS,
    remedy: 'Swap the edges, or correct the band.',
  },
  'frequency-unit': {
    class: 'S',
    severity: 'wrong-data',
    statement: 'The edges of a band are in hertz.',
    why: 'Below 1 MHz and above 3 THz no radio telescope observes, so such a number is in another unit, and a consumer avoids a band that is not observed. It is a warning above 1 THz, where a dish is smaller than two waves, and where two bands of a site are a factor of 1000 apart.',
    source: FORMAT,
    remedy: 'Send hertz: kilohertz times 1000, megahertz times 1000000, gigahertz times 1000000000.',
  },
  'frequency-band': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'A band is as wide as a receiver can observe.',
    why: 'A band that starts at 0 Hz, or whose upper edge is more than 100 times its lower edge, is often an edge in another unit. A band narrower than 100 Hz protects nothing.',
    source: FORMAT,
    remedy: 'Check both edges of the band.',
  },
  'slew-time': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'A slew is shorter than its observation.',
    why: 'The slew is counted from the start of the record, so the dish never arrives. A number in milliseconds looks like this.',
    source: HAYSTACK,
    remedy: 'Check that slew_sec is in seconds, and that the record lasts longer.',
  },
  'integration-time': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'An integration is not longer than its observation.',
    why: 'No integration ends within the record. A number in milliseconds looks like this.',
    source: FORMAT,
    remedy: 'Check that corr_integ_time_sec is in seconds.',
  },
  'angle-unit': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'Right ascensions and declinations are in degrees.',
    why: 'Five or more right ascensions that are spread and all below 24 may be hours; below 6.2832, with declinations within 1.5708, they may be radians. A consumer reads both as degrees.',
    source: FORMAT,
    remedy: 'Send degrees: hours times 15, radians times 57.29578.',
  },
  'swapped-coordinates': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'Right ascension, declination, latitude and longitude are each in their own field.',
    why: 'Swapped values point elsewhere, and are often still within their bounds.',
    source: SENDER,
    remedy: 'Check which value belongs to which field.',
  },
  'name-position': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'A target is where its name says.',
    why: 'Names such as J1331+3030 (J2000) and B1328+307 (B1950) hold right ascension in hours and declination in degrees, calibrators such as 3C286 have known positions, and an object of a catalogue such as NGC 628 has one position. A position elsewhere belongs to another target, or is in another unit.',
    source: 'https://cdsweb.u-strasbg.fr/Dic/iau-spec.html',
    remedy:
      'Check the name and the position. Right ascension and declination are in degrees: hours times 15, radians times 57.29578.',
  },
  'site-position': {
    class: 'D',
    severity: 'wrong-data',
    statement: 'A known instrument is at its known position, under its own name.',
    why: 'Operators place beams by this position. Beyond 1 degree or 500 m of height it is wrong; beyond 0.01 degrees or 100 m it is a warning, and so is an unknown name at the position of a known instrument.',
    source: LANDING,
    remedy: 'Correct the position or the site_id.',
  },
  'never-rises': {
    class: 'S',
    severity: 'wrong-data',
    statement: 'A target rises at its site.',
    why: 'At the declination of the target and the latitude of the site, it is always below the horizon.',
    source: ODSUTILS_CHECK,
    remedy: 'Correct the declination, the latitude, or their signs.',
  },
  'below-horizon': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'A target is above the horizon at some time of its interval.',
    why: 'The dish cannot see it then. A time that is not UTC, or a right ascension in hours, often looks like this.',
    source: ODSUTILS_CHECK,
    remedy: 'Check that the times are in UTC, and the position of the target.',
  },
  'moving-target': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'A record does not follow its target over more than one degree.',
    why: 'Motion is treated as linear; over a longer path the target leaves the protected position.',
    source: 'https://obs.vla.nrao.edu/ods/index.html/use_cases.html',
    remedy: 'Split the record into several in sequence.',
  },

  // Rules for the records of a feed together, and for two reads of it.
  'time-style': {
    class: 'D',
    severity: 'breaks-clients',
    statement: 'Either all times of a response have Z, or none has.',
    why: 'Many libraries refuse to compare a time that has a zone with one that has none.',
    source: ODSUTILS,
    remedy: 'Choose one style for all records.',
  },
  'one-position': {
    class: 'D',
    severity: 'wrong-data',
    statement: 'One site_id has one position in a feed.',
    why: 'Operators place beams by the position, and one of the two is wrong. Beyond 0.01 degrees or 100 m of height it is a finding; beyond 0.001 degrees or 10 m it is a warning.',
    source: LANDING,
    remedy: 'Correct the position, or give another instrument another site_id.',
  },
  'one-dish': {
    class: 'H',
    severity: 'wrong-data',
    statement: 'One site_id has one dish diameter: the known one, and the same in all records.',
    why: 'Operators estimate the beam by the diameter. Instruments with other dishes have another site_id. A known diameter may differ by a quarter, as effective diameters do.',
    source: FORMAT,
    remedy: 'Check which diameter is right.',
  },
  past: {
    class: 'S',
    severity: 'wrong-data',
    statement: 'No record ended more than 60 s before it was served.',
    why: 'A past observation needs no protection, and shows that the feed is no longer written.',
    source: DESIGN,
    remedy: 'Serve only records whose end is now or later. Judge a saved feed with --at its time.',
  },
  order: {
    class: 'S',
    severity: 'form',
    statement: 'Records are sorted by their start.',
    why: 'Clients read the next observation from the top.',
    source: DESIGN,
    remedy: 'Sort by src_start_utc.',
  },
  duplicate: {
    class: 'D',
    severity: 'wrong-data',
    statement: 'No record is in the feed twice.',
    why: 'Records have no id: a client counts the same observation twice. 1 and 1.0 are the same number.',
    source: TOOLS,
    remedy: 'Compare numbers as numbers and times as times when records are merged.',
  },
  'repeated-observation': {
    class: 'D',
    severity: 'wrong-data',
    statement: 'An observation is in the feed once.',
    why: 'A push that is repeated with another start or name stays next to the first one, and consumers hold two protections for one observation.',
    source: READER,
    remedy: 'Replace the earlier record when an observation is pushed again.',
  },
  overlap: {
    class: 'S',
    severity: 'wrong-data',
    statement: 'One subarray of a site, or one single dish, points at one target at a time.',
    why: 'An instrument cannot point two ways. Several bands, subarrays and sites at once are normal, and so are several positions near each other for one erratic target. For a site that is a single dish it is a finding; elsewhere it is a warning, and records without subarray are not compared.',
    source: VLA_SENDER,
    remedy: 'Check whether one of the two was replaced, or belongs to another subarray.',
  },
  'unknown-field': {
    class: 'H',
    severity: 'form',
    statement: 'Each field is one that the schema declares.',
    why: 'Extensions are permitted and clients ignore them, so a mistyped optional field goes unnoticed.',
    source: FORMAT,
    remedy: 'Check that it is an extension and not a mistyped name.',
  },
  'one-version': {
    class: 'H',
    severity: 'form',
    statement: 'All records of a response have the same version.',
    why: 'Two versions in one list mean two sources, one of which was not updated.',
    source: FORMAT,
    remedy: 'Bring every sender to the same version.',
  },
  'unknown-version': {
    class: 'H',
    severity: 'form',
    statement: 'The version is one that the profile knows.',
    why: 'A reader that checks the version rejects the record or misreads it.',
    source: FORMAT,
    remedy: 'Send v1.0.0 for the fields of that schema.',
  },
  stale: {
    class: 'D',
    severity: 'wrong-data',
    statement: 'A record that ends between two reads is gone from the second.',
    why: 'A writer that lost its connection leaves the old file in place, and nothing else shows it.',
    source: WRITER,
    remedy: 'Select records at the time of the request, or take the feed down when its writer stops.',
  },
  'unstable-order': {
    class: 'H',
    severity: 'form',
    statement: 'Two reads of the same records have them in the same order.',
    why: 'A client that compares reads would see changes where there are none.',
    source: DESIGN,
    remedy: 'Sort by more than the start where several records start together.',
  },
} as const satisfies Record<string, RuleText>;

export interface Rule extends RuleText {
  id: RuleId;
}

export type RuleId = keyof typeof TABLE;

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
