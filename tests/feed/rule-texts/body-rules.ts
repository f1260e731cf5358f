/** Rules for the response and its body as a whole. */
import { LANDING, ODSUTILS, type RuleText, TOOLS } from './rule-text.ts';

export const BODY_RULES = {
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
} as const satisfies Record<string, RuleText>;
