/** Bytes that were a request once: where it ends, and whether it is one, is for the server to find out. */

import type { Chance } from './chance.ts';
import { type Sent, wire } from './good-requests.ts';

type Break = (text: string, random: Chance) => string;

const SPLINTERS = [...'\0\r\n\t :\x7f\x80\xff', '\r\n', '\r\n\r\n', '\n\n', '\xf0\x9f\x98\x80'];
const LENGTHS = '-1|+5|0x5|1e3|| |5, 5|5,6|99999999999999999999|0|1|65536|65537|1073741824'.split('|');

/** `text` with `part` in place of `length` characters from `at`. */
const replaced = (text: string, at: number, length: number, part: string) =>
  text.slice(0, at) + part + text.slice(at + length);

const withField = (text: string, field: string) => text.replace('\r\n', `\r\n${field}\r\n`);
const withoutLength = (text: string) => text.replace(/^content-length:.*\r\n/im, '');

const BREAKS: Break[] = [
  function flipBits(text, random) {
    let flipped = text;
    for (let count = random.below(4); count >= 0; count--) {
      const at = random.below(text.length);
      flipped = replaced(
        flipped,
        at,
        1,
        String.fromCharCode(flipped.charCodeAt(at) ^ (1 << random.below(8))),
      );
    }
    return flipped;
  },
  (text, { below }) => text.slice(0, below(text.length)),
  (text, { below }) => text.slice(below(text.length)),
  function repeatPart(text, { below }) {
    const at = below(text.length);
    const part = text.slice(at, at + below(60));
    return replaced(text, at, 0, part.repeat(1 + below(3)));
  },
  (text, { below }) => replaced(text, below(text.length), below(20), ''),
  (text, { below, pick }) => replaced(text, below(text.length), below(2), pick(SPLINTERS)),
  (text, { pick }) => text.replaceAll('\r\n', pick(['\n', '\r', '\n\r', '\r\n ', '\r\r\n'])),
  (text, { pick }) => withField(withoutLength(text), `content-length: ${pick(LENGTHS)}`),
  (text, { pick }) => withField(text, `content-length: ${pick(LENGTHS)}`),
  (text, { pick }) =>
    withField(
      text,
      `transfer-encoding: ${pick(['chunked', 'x', 'chunked, chunked', 'gzip, chunked', 'identity', ''])}`,
    ),
  function breakChunks(text, { pick, below }) {
    const [head = '', body = ''] = withField(withoutLength(text), 'transfer-encoding: chunked').split(
      /(?<=\r\n\r\n)/,
    );
    const size = pick([
      'zz',
      '-1',
      'ffffffffffffffff',
      '',
      ' ',
      '5 ',
      '0x5',
      `${body.length}`,
      'ffff',
      `5;${'x'.repeat(below(20_000))}`,
    ]);
    return `${head}${size}\r\n${body}${pick(['', '\r\n', 'x', '\n', '\r\n0', '\r\n0\r\n'])}`;
  },
  (text, { pick }) =>
    text.replace(
      'HTTP/1.1',
      pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.', 'ICE/1.0', '']),
    ),
  (text, { pick }) => text.replace(' ', pick(['', '  ', '\t', ' \0', ' \r\n', ' /x ', ' /\xe4\xff'])),
  (text, { pick }) =>
    text.replace(/^\w+/, pick(['get', 'CONNECT', 'NOPE', 'PRI', 'GET\0', '', 'G'.repeat(5_000)])),
  (text, { pick }) =>
    text.replace(
      /^host:.*\r\n/im,
      pick(['', 'host: a\r\nhost: b\r\n', 'host : a\r\n', 'host\r\n', ': a\r\n', 'ho st: a\r\n']),
    ),
  (text, { pick }) =>
    withField(
      text,
      pick([
        'connection: close',
        'connection: upgrade\r\nupgrade: h2c',
        'expect: x',
        'expect: 100-continue',
        'upgrade: websocket',
      ]),
    ),
  (text, { below }) => withField(text, `x: ${'y'.repeat(below(40_000))}`),
  (text, { below }) => withField(text, 'x: y\r\n'.repeat(below(6_000)).trimEnd()),
  (text, { pick }) =>
    pick([
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
      '\r\n'.repeat(50),
      'hello',
    ]) + text,
  (text, random) => random.text(text.length, '\0\x01\r\n :/\x7f\xff%AGET'),
];

/** The bytes of a request after one to three breaks, one character for each. */
export function broken(sent: Sent, random: Chance): string {
  let text = wire(sent);
  for (let count = Math.max(0, random.below(5) - 2); count >= 0; count--)
    text = text && random.pick(BREAKS)(text, random);
  return text;
}
