/** Feeds whose response or body is wrong. */
import type { WrongFeed } from '../subject.ts';

/** The text of the first record written again after `member`. */
const insert = (after: RegExp, text: string) => (body: string) => body.replace(after, `$&${text}`);

export const wrongBodies: readonly WrongFeed[] = [
  {
    name: 'feed-html-type',
    summary: 'is good JSON that is served as text/html',
    contentType: 'text/html; charset=utf-8',
    rule: 'media-type',
    says: /text\/html.*expected application\/json/,
  },
  {
    name: 'feed-octet-stream',
    summary: 'is good JSON that is served as application/octet-stream',
    contentType: 'application/octet-stream',
    rule: 'media-type',
    says: /octet-stream/,
  },
  {
    name: 'feed-no-type',
    summary: 'is served without a Content-Type',
    contentType: undefined,
    rule: 'media-type',
    says: /no Content-Type/,
  },
  {
    name: 'feed-truncated',
    summary: 'is cut off in the middle of a record',
    text: (body) => body.slice(0, body.length / 2),
    rule: 'not-json',
    says: /cut off/,
  },
  {
    name: 'feed-nan',
    summary: 'has NaN for a slew time',
    text: (body) => body.replace('"slew_sec": 42.5', '"slew_sec": NaN'),
    rule: 'not-json',
    says: /\(send null/,
  },
  {
    name: 'feed-python',
    summary: 'is what Python prints, with single quotes',
    text: (body) => body.replaceAll('"', "'"),
    rule: 'not-json',
    says: /double quotes/,
  },
  {
    name: 'feed-trailing-comma',
    summary: 'has a comma after the last record',
    text: (body) => body.replace(/\}\s*\]/, '},]'),
    rule: 'not-json',
    says: /not JSON from here/,
  },
  {
    name: 'feed-byte-order-mark',
    summary: 'begins with a byte order mark',
    text: (body) => `\ufeff${body}`,
    rule: 'not-json',
    says: /byte order mark/,
  },
  {
    name: 'feed-two-bodies',
    summary: 'has a second body after the first, as an append to the file leaves it',
    text: (body) => `${body}\n${body}`,
    rule: 'not-json',
    says: /something follows/,
  },
  {
    name: 'feed-html-page',
    summary: 'is a page of HTML',
    text: () => '<!doctype html><title>502</title>',
    rule: 'not-json',
    says: /page of HTML/,
  },
  {
    name: 'feed-error-object',
    summary: 'is an error in place of data',
    text: () => '{"detail": "Not authenticated"}',
    rule: 'envelope',
    says: /no member "ods_data"/,
  },
  {
    name: 'feed-bare-list',
    summary: 'is the list without the object around it',
    text: (body) => JSON.stringify(JSON.parse(body).ods_data),
    rule: 'envelope',
    says: /expected an object/,
  },
  {
    name: 'feed-other-member',
    summary: 'has the list under the name of 2023-06',
    text: (body) => body.replace('"ods_data"', '"ossods_data"'),
    rule: 'envelope',
    says: /no member "ods_data"/,
  },
  {
    name: 'feed-null-list',
    summary: 'has null for the list',
    text: () => '{"ods_data": null}',
    rule: 'envelope',
    says: /it is null/,
  },
  {
    name: 'feed-duplicate-key',
    summary: 'has a record with two starts',
    text: insert(/"slew_sec": 42.5,/, ' "src_start_utc": "2030-01-01T00:05:10",'),
    rule: 'duplicate-key',
    says: /second time/,
  },
  {
    name: 'feed-duplicate-key-same',
    summary: 'has a record with one member twice, with one value',
    text: insert(/"slew_sec": 42.5,/, ' "slew_sec": 42.5,'),
    rule: 'duplicate-key',
    says: /second time/,
  },
  {
    name: 'feed-duplicate-key-escaped',
    summary: 'has a record with one member twice, once with an escape in its name',
    text: insert(/"slew_sec": 42.5,/, ' "src\\u005fid": "x",'),
    rule: 'duplicate-key',
    says: /second time/,
  },
];
