/** Rules for single fields of a record. */
import { FORMAT, HAYSTACK, LANDING, ODSUTILS_DEFAULTS, READER, type RuleText } from './rule-text.ts';

export const FIELD_RULES = {
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
} as const satisfies Record<string, RuleText>;
