/** Feeds whose response or body is wrong. */
import { failed, type WrongFeed } from '../subject.ts';

/** The text of the first record written again after `member`. */
const insert = (after: RegExp, text: string) => (body: string) => body.replace(after, `$&${text}`);

export const wrongBodies: readonly WrongFeed[] = [
  ...failed('media-type', {
    'feed-html-type': [
      'is good JSON that is served as text/html',
      { contentType: 'text/html; charset=utf-8' },
      /text\/html.*expected application\/json/,
    ],
    'feed-octet-stream': [
      'is good JSON that is served as application/octet-stream',
      { contentType: 'application/octet-stream' },
      /octet-stream/,
    ],
    'feed-no-type': ['is served without a Content-Type', { contentType: undefined }, /no Content-Type/],
  }),
  ...failed('not-json', {
    'feed-truncated': [
      'is cut off in the middle of a record',
      { text: (body) => body.slice(0, body.length / 2) },
      /cut off/,
    ],
    'feed-nan': [
      'has NaN for a slew time',
      { text: (body) => body.replace('"slew_sec": 42.5', '"slew_sec": NaN') },
      /\(send null/,
    ],
    'feed-python': [
      'is what Python prints, with single quotes',
      { text: (body) => body.replaceAll('"', "'") },
      /double quotes/,
    ],
    'feed-trailing-comma': [
      'has a comma after the last record',
      { text: (body) => body.replace(/\}\s*\]/, '},]') },
      /not JSON from here/,
    ],
    'feed-byte-order-mark': [
      'begins with a byte order mark',
      { text: (body) => `\ufeff${body}` },
      /byte order mark/,
    ],
    'feed-two-bodies': [
      'has a second body after the first, as an append to the file leaves it',
      { text: (body) => `${body}\n${body}` },
      /something follows/,
    ],
    'feed-html-page': [
      'is a page of HTML',
      { text: () => '<!doctype html><title>502</title>' },
      /page of HTML/,
    ],
  }),
  ...failed('envelope', {
    'feed-error-object': [
      'is an error in place of data',
      { text: () => '{"detail": "Not authenticated"}' },
      /no member "ods_data"/,
    ],
    'feed-bare-list': [
      'is the list without the object around it',
      { text: (body) => JSON.stringify(JSON.parse(body).ods_data) },
      /expected an object/,
    ],
    'feed-other-member': [
      'has the list under the name of 2023-06',
      { text: (body) => body.replace('"ods_data"', '"ossods_data"') },
      /no member "ods_data"/,
    ],
    'feed-null-list': ['has null for the list', { text: () => '{"ods_data": null}' }, /it is null/],
  }),
  ...failed('duplicate-key', {
    'feed-duplicate-key': [
      'has a record with two starts',
      { text: insert(/"slew_sec": 42.5,/, ' "src_start_utc": "2030-01-01T00:05:10",') },
      /second time/,
    ],
    'feed-duplicate-key-same': [
      'has a record with one member twice, with one value',
      { text: insert(/"slew_sec": 42.5,/, ' "slew_sec": 42.5,') },
      /second time/,
    ],
    'feed-duplicate-key-escaped': [
      'has a record with one member twice, once with an escape in its name',
      { text: insert(/"slew_sec": 42.5,/, ' "src\\u005fid": "x",') },
      /second time/,
    ],
  }),
];
