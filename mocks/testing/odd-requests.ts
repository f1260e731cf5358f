/** Requests that any HTTP server can read, and that nobody sends who means well. */
import { METHODS } from 'node:http';
import type { Chance } from './chance.ts';
import { KEY, LIVE, type Sent, wire } from './good-requests.ts';

type Oddity = (sent: Sent, random: Chance) => Sent;

const VISIBLE = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');
const LATIN = `${VISIBLE} \t${Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join('')}`;
const ESCAPES = ['%00', '%0d%0a', '%2f', '%2e%2e', '%zz', '%', '%c3%28', '%f0%9f%98%80', '%ff', '%25', '%5f'];
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', '', ' ', '[]'];

const setHeader = (sent: Sent, name: string, ...values: string[]): Sent => ({
  ...sent,
  headers: [
    ...sent.headers.filter(([other]) => other !== name),
    ...values.map((value): [string, string] => [name, value]),
  ],
});

/** `text` with something put in at any place. */
const spliced = (text: string, part: string, random: Chance): string => {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + part + text.slice(at + random.below(3));
};

const method: Oddity = (sent, { pick }) => ({
  ...sent,
  method: pick(METHODS.filter((name) => name !== 'CONNECT')), // which is answered by closing
});

const target: Oddity = (sent, random) => ({
  ...sent,
  target: random.pick<(path: string) => string>([
    (path) => path.replace(/\/$/, ''),
    (path) => `/${path}`,
    (path) => `${path}/`,
    (path) => path.toUpperCase(),
    (path) => `/x/..${path}`,
    (path) => `${path}?${random.text(random.below(40), VISIBLE)}`,
    (path) => `${path}#${random.text(random.below(40), VISIBLE.replace('#', ''))}`,
    (path) => `/${spliced(path.slice(1), random.pick(ESCAPES), random)}`,
    (path) => `http://elsewhere.example${path}`,
    (path) => `http://[${path}`,
    (path) => `${path}${random.pick(NAMES).trim()}`,
    () => '*',
    () => `/__mock/${random.pick(NAMES).trim()}x`,
    (path) =>
      `${path}${random.pick(['&', '?'])}${random.pick(['status', 'since', 'limit', 'client', 'format', 'x'])}=${random.pick([...ESCAPES, '1', '-1', '9'.repeat(16), 'har'])}`,
    () => `/${random.text(random.below(random.oneIn(20) ? 12_000 : 60), VISIBLE.replace('#', ''))}`,
  ])(sent.target),
});

const authorization: Oddity = (sent, random) => {
  const own = sent.headers.find(([name]) => name === 'authorization')?.[1] ?? `Bearer ${LIVE}`;
  const values = random.pick<() => string[]>([
    () => [],
    () => [''],
    () => ['Bearer'],
    () => [own, own],
    () => ['Bearer x', own],
    () => [own, 'Bearer x'],
    () => [`${own}, ${own}`],
    () => [
      own.replace('Bearer', random.pick(['bearer', 'BEARER', 'Basic', 'Token', 'Bearer\t', 'Bearer  '])),
    ],
    () => [`Bearer ${random.pick([LIVE, KEY, ...NAMES])}`],
    () => [`Bearer ${LIVE.slice(0, random.below(LIVE.length))}`],
    () => [spliced(own, random.text(1, LATIN), random)],
    () => [`Bearer ${random.text(random.below(40), LATIN)}`],
    () => [
      `Bearer ${random.pick(['=', 'x', ' ', '~+/'])}`.padEnd(
        random.below(12_000),
        random.pick('= x'.split('')),
      ),
    ],
  ])();
  return setHeader(sent, 'authorization', ...values);
};

const mediaType = (random: Chance): string =>
  random.pick<() => string>([
    () => random.pick(['application/json', 'application/x-www-form-urlencoded', 'text/html', '*/*', '*', '']),
    () =>
      random.pick(['application/*', 'multipart/form-data', 'application/vnd.x+json', 'a/b/c', '/', '*/json']),
    () => random.text(random.below(30), LATIN),
    () => `application/json;q=${random.pick(['0', '0.5', '1', '-1', '9', 'x', 'NaN', '', '"0"', '1e9'])}`,
    () =>
      `application/json; ${random.pick(['charset=utf-8', 'charset=', '=', ';;', 'a="', 'boundary=x', 'a="\\"'])}`,
    () => `APPLICATION/X-WWW-FORM-URLENCODED; charset=${random.pick(['utf-8', 'latin1', 'x', '"', ''])}`,
  ])();

const accept: Oddity = (sent, random) => {
  const types = Array.from({ length: 1 + random.below(random.oneIn(50) ? 300 : 4) }, () => mediaType(random));
  return setHeader(
    sent,
    'accept',
    ...(random.oneIn(5) ? types : [types.join(random.pick([',', ', ', ';']))]),
  );
};

const contentType: Oddity = (sent, random) =>
  setHeader(sent, 'content-type', ...Array.from({ length: random.below(3) }, () => mediaType(random)));

const header: Oddity = (sent, random) => {
  const [name, values] = random.pick<[string, string[]]>([
    ['host', ['rebound.example', '127.0.0.1:1:1', '[::1]', '', '@', '127.0.0.1\t']],
    ['origin', ['null', 'http://127.0.0.1', 'http://evil.example', '']],
    ['sec-fetch-site', ['cross-site', 'same-origin', '']],
    ['connection', ['keep-alive', 'keep-alive, x', 'x', '']],
    ['content-encoding', ['gzip', 'br', 'x']],
    ['x-http-method-override', ['DELETE', 'PUT']],
    ['x-original-url', ['/__mock/clock', '/ods_data/']],
    ['forwarded', ['for=127.0.0.1;host=127.0.0.1']],
    ['cookie', [`token=${LIVE}`, random.text(200, VISIBLE)]],
    ['range', ['bytes=0-0', 'bytes=9-1', 'x']],
    ['if-none-match', ['*', '"x"']],
    ['te', ['trailers', 'gzip']],
    ['date', ['yesterday', '0']],
    [random.pick(['__proto__', 'constructor', 'x', '!#$%&|~']), [random.text(random.below(60), LATIN)]],
  ]);
  return setHeader(sent, name, random.pick(values));
};

const headerFlood: Oddity = (sent, random) => {
  const count = random.below(random.oneIn(20) ? 300 : 30); // Node.js reads a thousand headers, and no more
  const flood = Array.from({ length: count }, (): [string, string] => [
    random.pick(['a', 'b', 'accept', 'content-type', 'cookie', 'x']),
    random.text(random.below(3), VISIBLE),
  ]);
  return { ...sent, headers: [...sent.headers, ...flood] };
};

const form: Oddity = (sent, random) => {
  const fields = sent.body.split('&');
  const field = () =>
    random.pick<() => string>([
      () => random.pick(fields),
      () => random.pick(fields).replace(/=.*/, ''),
      () => random.pick(fields).replace(/=.*/, `=${random.pick(ESCAPES)}`),
      () => `${random.pick(NAMES)}=${random.pick(NAMES)}`,
      () => `${random.pick(ESCAPES)}=${random.pick(ESCAPES)}`,
      () => `client_id[]=${random.pick(NAMES)}`,
      () =>
        `grant_type=${random.pick(['password', 'client_credentials ', 'CLIENT_CREDENTIALS', '', '%', '+'])}`,
      () => spliced(random.pick(fields), random.text(1, LATIN), random),
      () => random.text(random.below(random.oneIn(100) ? 5_000 : 20), LATIN),
    ])();
  const added = Array.from({ length: random.below(random.oneIn(100) ? 1_000 : 4) }, field);
  const kept = random.oneIn(3) ? fields.filter(() => !random.oneIn(3)) : fields;
  return { ...sent, body: [...kept, ...added].join(random.pick(['&', '&', '&', '&&', ';'])) };
};

/** Rubbish, or what it was with something else in place of one of its values. */
const json: Oddity = (sent, random) => {
  const value = /(?<=[:[])("[^"]*"|-?\d+)/g;
  const count = sent.body.match(value)?.length ?? 0;
  if (count === 0 || random.oneIn(2)) return { ...sent, body: jsonRubbish(random) };
  let at = random.below(count);
  return { ...sent, body: sent.body.replace(value, (old) => (at-- === 0 ? jsonValue(random) : old)) };
};

const JSON_VALUES = [
  ...'null true {} [] "" -0 1e999 -1e999 1e15 0.1 NaN "1s" "-1d" "next-expiry" [[[[[[]]]]]] 1000000000 -1'.split(
    ' ',
  ),
  ...String.raw`"\u0661s" "2030-06-30T23:59:60Z" "0000-01-01T00:00:00Z" "9999-12-31T23:59:59-23:59"`.split(
    ' ',
  ),
  ...String.raw`"2030-02-30T00:00:00Z" "\ud800" "\u0000" {"action":"reset"}`.split(' '),
  ...['"1 s"', '9'.repeat(300), `"${'9'.repeat(90)}d"`, `"${'9'.repeat(200)}"`],
];
const jsonValue = (random: Chance): string => random.pick(JSON_VALUES);

function jsonRubbish(random: Chance): string {
  const action = () =>
    random.pick(['freeze', 'resume', 'advance', 'set', 'scale', 'reset', 'x', '__proto__']);
  const members = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(MEMBERS);
    return `"${name}":${jsonValue(random)}`;
  });
  const move = `{${[`"action":"${action()}"`, ...members].join(',')}}`;
  return random.pick<() => string>([
    () => move,
    () => move,
    () => move,
    () => jsonValue(random),
    () => spliced(move, random.text(1, LATIN), random),
    () => move.slice(0, random.below(move.length)),
    () => '['.repeat(random.below(random.oneIn(50) ? 60_000 : 50)),
  ])();
}

const MEMBERS = 'by until delta to factor __proto__ action  secret tokenLifetime jitter skew'.split(' ');

/** Sent in parts, rightly; with extensions and trailers that mean nothing. */
const chunked: Oddity = (sent, random) => {
  let rest = sent.body;
  let parts = '';
  while (rest) {
    const part = rest.slice(0, 1 + random.below(40));
    const extension = random.oneIn(4) ? `;${random.text(1 + random.below(9), 'abc')}` : '';
    parts += `${part.length.toString(16)}${extension}\r\n${part}\r\n`;
    rest = rest.slice(part.length);
  }
  const trailer = random.oneIn(4) ? `authorization: Bearer ${LIVE}\r\n` : '';
  return { ...setHeader(sent, 'transfer-encoding', 'chunked'), body: `${parts}0\r\n${trailer}\r\n` };
};

const ODDITIES = [method, target, target, authorization, authorization, accept, contentType, header, header];
const OF_BODY = [form, form, form, json, json];

/** Node.js refuses longer ones than 16 KiB, and closes the connection. */
const HEAD_BYTES = 15_000;
const BODY_BYTES = 60_000;

/** Of any other form Node.js takes none, and closes the connection. */
const TARGET = /^(\/|http:\/\/|\*$)/;

/** A good request with one to three oddities, which leave no doubt where it ends. */
export function odd(good: Sent, random: Chance): Sent {
  let sent = good;
  for (let count = random.below(3); count >= 0; count--) {
    const more = random.oneIn(8) ? [headerFlood] : [];
    sent = random.pick([...ODDITIES, ...(good.body ? OF_BODY : [json]), ...more])(sent, random);
  }
  if (wire({ ...sent, body: '' }).length > HEAD_BYTES || sent.body.length > BODY_BYTES) return good;
  if (!TARGET.test(sent.target)) return good;
  return random.oneIn(6) ? chunked(sent, random) : sent;
}
