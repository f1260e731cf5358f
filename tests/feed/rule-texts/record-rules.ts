/** Rules for the fields of a record together. */
import { FORMAT, HAYSTACK, LANDING, ODSUTILS, ODSUTILS_CHECK, type RuleText, SENDER } from './rule-text.ts';

export const RECORD_RULES = {
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
    class: 'S',
    statement: 'The edges of a band are in hertz.',
    why: 'Below 1 MHz and above 3 THz no radio telescope observes, so such a number is in another unit, and a consumer avoids a band that is not observed. It is a warning above 1 THz, where a dish is smaller than two waves, and where two bands of a site are a factor of 1000 apart.',
    source: FORMAT,
    remedy: 'Send hertz: kilohertz times 1000, megahertz times 1000000, gigahertz times 1000000000.',
  },
  'frequency-band': {
    class: 'H',
    statement: 'A band is as wide as a receiver can observe.',
    why: 'A band that starts at 0 Hz, or whose upper edge is more than 100 times its lower edge, is often an edge in another unit. A band narrower than 100 Hz protects nothing.',
    source: FORMAT,
    remedy: 'Check both edges of the band.',
  },
  'slew-time': {
    class: 'H',
    statement: 'A slew is shorter than its observation.',
    why: 'The slew is counted from the start of the record, so the dish never arrives. A number in milliseconds looks like this.',
    source: HAYSTACK,
    remedy: 'Check that slew_sec is in seconds, and that the record lasts longer.',
  },
  'integration-time': {
    class: 'H',
    statement: 'An integration is not longer than its observation.',
    why: 'No integration ends within the record. A number in milliseconds looks like this.',
    source: FORMAT,
    remedy: 'Check that corr_integ_time_sec is in seconds.',
  },
  'angle-unit': {
    class: 'H',
    statement: 'Right ascensions and declinations are in degrees.',
    why: 'Five or more right ascensions that are spread and all below 24 may be hours; below 6.2832, with declinations within 1.5708, they may be radians. A consumer reads both as degrees.',
    source: FORMAT,
    remedy: 'Send degrees: hours times 15, radians times 57.29578.',
  },
  'swapped-coordinates': {
    class: 'H',
    statement: 'Right ascension, declination, latitude and longitude are each in their own field.',
    why: 'Swapped values point elsewhere, and are often still within their bounds.',
    source: SENDER,
    remedy: 'Check which value belongs to which field.',
  },
  'name-position': {
    class: 'H',
    statement: 'A target is where its name says.',
    why: 'Names such as J1331+3030 (J2000) and B1328+307 (B1950) hold right ascension in hours and declination in degrees, calibrators such as 3C286 have known positions, and an object of a catalogue such as NGC 628 has one position. A position elsewhere belongs to another target, or is in another unit.',
    source: 'https://cdsweb.u-strasbg.fr/Dic/iau-spec.html',
    remedy:
      'Check the name and the position. Right ascension and declination are in degrees: hours times 15, radians times 57.29578.',
  },
  'site-position': {
    class: 'D',
    statement: 'A known instrument is at its known position, under its own name.',
    why: 'Operators place beams by this position. Beyond 1 degree or 500 m of height it is wrong; beyond 0.01 degrees or 100 m it is a warning, and so is an unknown name at the position of a known instrument.',
    source: LANDING,
    remedy: 'Correct the position or the site_id.',
  },
  'never-rises': {
    class: 'S',
    statement: 'A target rises at its site.',
    why: 'At the declination of the target and the latitude of the site, it is always below the horizon.',
    source: ODSUTILS_CHECK,
    remedy: 'Correct the declination, the latitude, or their signs.',
  },
  'below-horizon': {
    class: 'H',
    statement: 'A target is above the horizon at some time of its interval.',
    why: 'The dish cannot see it then. A time that is not UTC, or a right ascension in hours, often looks like this.',
    source: ODSUTILS_CHECK,
    remedy: 'Check that the times are in UTC, and the position of the target.',
  },
  'moving-target': {
    class: 'H',
    statement: 'A record does not follow its target over more than one degree.',
    why: 'Motion is treated as linear; over a longer path the target leaves the protected position.',
    source: 'https://obs.vla.nrao.edu/ods/index.html/use_cases.html',
    remedy: 'Split the record into several in sequence.',
  },
} as const satisfies Record<string, RuleText>;
