/** A text as a reader of its encoding sees it, with the way back to where each character was written. */

export interface DecodedText {
  text: string;
  /** Where each character of `text` begins in the source, and then the end of the source; absent for the source itself. */
  starts?: Uint32Array;
}

/** How often a text is decoded: an address within an address, JSON within JSON, and the file that it is written to. */
const ROUNDS = 4;

/** A character in percent-encoding, of UTF-8 or of one byte, in an escape of JSON or of program text, or as an entity of HTML. */
const ENCODED =
  /%(?:c[2-9a-f]|d[\da-f])%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-4](?:%[89ab][\da-f]){3}|%[\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[0-3][0-7]{2}|\\[^u]|&#x[\da-f]{1,6};|&#\d{1,7};|&[a-z]{2,14};/gi;

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
/** Of HTML, by their names in lower case: the punctuation of ASCII, and what shows nothing (HTML Standard section 13.5). */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  (
    'amp & lt < gt > quot " apos \' excl ! num # dollar $ percnt % lpar ( rpar ) ast * midast * plus + comma , period . sol / ' +
    'colon : semi ; equals = quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] hat ^ lowbar _ underbar _ grave ` lcub { lbrace { ' +
    'verbar | vert | rcub } rbrace } tab \t newline \n nbsp \u00a0 shy \u00ad zwnj \u200c zwj \u200d lrm \u200e rlm \u200f ' +
    'zerowidthspace \u200b'
  )
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? ''] as const] : [])),
);

/** Line breaks, as MIME puts them into base64 (RFC 2045 section 6.8) and into long lines, and characters that show nothing. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
  /=?[\r\n]+[ \t]*|\x1b\[[\d;:?]*[ -/]*[@-~]|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]+/gu;

/** The text as it is and decoded up to four times, each also without what UNSEEN finds. Takes linear time. */
export function readingsOf(source: string): DecodedText[] {
  const readings: DecodedText[] = [{ text: source }];
  for (let round = 0; round < ROUNDS; round++) {
    const last = readings.at(-1) as DecodedText;
    if (!/[%\\&]/.test(last.text)) break;
    const next = rewritten(last, ENCODED, charactersOf);
    if (next.text === last.text) break;
    readings.push(next);
  }
  return readings.flatMap((one) =>
    one.text.search(UNSEEN) === -1 ? [one] : [one, rewritten(one, UNSEEN, () => '')],
  );
}

/** The text decoded once; without the way back. */
export const decodeOnce = (text: string): string => text.replace(ENCODED, charactersOf);

/** With what `read` makes of each piece. It is longer than the piece nowhere, so the length of the text is enough. */
function rewritten({ text, starts }: DecodedText, pieces: RegExp, read: typeof charactersOf): DecodedText {
  const parts: string[] = [];
  const back = new Uint32Array(text.length + 1);
  let built = 0;
  let from = 0;
  const startOf = (at: number) => (starts ? (starts[at] ?? 0) : at);
  const copy = (until: number) => {
    parts.push(text.slice(from, until));
    for (; from < until; from++) back[built++] = startOf(from);
  };
  for (const { index, 0: piece } of text.matchAll(pieces)) {
    copy(index);
    const characters = read(piece);
    parts.push(characters);
    back.fill(startOf(index), built, built + characters.length);
    built += characters.length;
    from = index + piece.length;
  }
  copy(text.length);
  back[built] = startOf(text.length);
  return { text: parts.join(''), starts: back.slice(0, built + 1) };
}

/** What an encoded character means. Bytes that are not UTF-8 are read as Latin-1. */
function charactersOf(piece: string): string {
  if (piece.startsWith('%'))
    try {
      return decodeURIComponent(piece);
    } catch {
      return Buffer.from(piece.replaceAll('%', ''), 'hex').toString('latin1');
    }
  const [, hex, octal, decimal] = /^(?:\\[ux]|&#x)([\da-f]+);?$|^\\(\d{3})$|^&#(\d+);$/i.exec(piece) ?? [];
  const code = Number.parseInt(hex ?? octal ?? decimal ?? '', hex ? 16 : octal ? 8 : 10);
  if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : piece;
  if (piece.startsWith('\\')) return ESCAPES[piece.slice(1)] ?? piece.slice(1);
  return ENTITIES.get(piece.slice(1, -1).toLowerCase()) ?? piece;
}

/** A word that may be base64 or hexadecimal. A search for the whole at once would fill the stack where it is long. */
const WORD = { begin: /[\w+/-]{16}/g, end: /[^\w+/-]/g };

/** Bytes that may be written one by one: nothing but digits, the prefixes `0x`, `0o`, `0b`, `\x` and `\u`, and what is between. */
const BYTES = { begin: /[\da-foxu\W_]{16}/gi, end: /[g-np-tvwyz]/gi };

/** Where words and rows of bytes are that encode a text for which `test` is true. Takes linear time, if `test` does. */
export function encodedParts(text: string, test: (meaning: string) => boolean): [from: number, to: number][] {
  const parts: [number, number][] = [];
  const add = (from: number, to: number, meaningsOf: (part: string) => Iterable<string>) => {
    for (const meaning of meaningsOf(text.slice(from, to))) if (test(meaning)) return parts.push([from, to]);
    return undefined;
  };
  for (const [from, end] of spansOf(text, WORD)) {
    let to = end;
    while (text[to] === '=' && to < end + 2) to++; // padding of base64
    add(from, to, wordMeanings);
  }
  for (let [from, to] of spansOf(text, BYTES)) {
    // Without the rest of a word that began before it, or that ends after it, and without what is around the bytes.
    while (from < to && isLetter(text[from]) && isLetter(text[from - 1])) from++;
    while (from < to && isLetter(text[to - 1]) && isLetter(text[to])) to--;
    while (from < to && !isLetter(text[from])) from++;
    while (from < to && !isLetter(text[to - 1])) to--;
    if (to - from >= LEAST_BYTES) add(from, to, byteMeanings);
  }
  return parts;
}

/** Eight bytes of two digits, and what is between. */
const LEAST_BYTES = 2 * 8 + 7;

const isLetter = (character = ''): boolean => /^[\da-z]/i.test(character);

function spansOf(text: string, { begin, end }: typeof WORD): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (let at = 0; at < text.length; ) {
    begin.lastIndex = at;
    const found = begin.exec(text);
    if (!found) break;
    end.lastIndex = begin.lastIndex;
    at = end.exec(text)?.index ?? text.length;
    spans.push([found.index, at]);
  }
  return spans;
}

/** From each character at which an encoded text may begin in a word. Only what can be text is kept of it. */
function* wordMeanings(word: string): Iterable<string> {
  for (const from of [0, 1, 2, 3]) yield textIn(Buffer.from(word.slice(from), 'base64'));
  for (const from of [0, 1]) yield textIn(Buffer.from(word.slice(from), 'hex'));
}

/** Each eight bytes or more in a row that are printable in ASCII, or space, or NUL as in UTF-16; ÿ is between. */
function textIn(bytes: Buffer): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? 0xff;
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0 || (byte >= 9 && byte <= 13)) continue;
    if (at - from >= 8) kept.push(bytes.toString('latin1', from, at));
    from = at + 1;
  }
  return kept.join('\u00ff');
}

/** In each base. A number that is not a byte is read as one that no text in UTF-8 has. */
function* byteMeanings(part: string): Iterable<string> {
  const numbers = part.replace(/0x/gi, ' ').match(/[\da-f]{2,}|\d/gi) ?? [];
  if (numbers.length < 4) return;
  const octets = (digits: string[]) => Buffer.from(digits.join(''), 'hex').toString();
  yield octets(numbers.map((one) => (one.length % 2 === 0 ? one : 'ff')));
  // As hexdump shows two bytes, the second first.
  if (numbers.some(({ length }) => length === 4))
    yield octets(numbers.map((one) => (one.length === 4 ? one.slice(2) + one.slice(0, 2) : 'ff')));
  const bytes = (values: number[]) => values.map((value) => (value <= 255 ? value : 0xff));
  for (const base of [2, 8])
    yield Buffer.from(bytes(numbers.map((one) => Number.parseInt(one, base)))).toString();
  // Each in the base of its prefix, or in decimal.
  const literals = bytes((part.match(/0[box][\da-f]+|\d+/gi) ?? []).map(Number));
  yield Buffer.from(literals).toString();
  // Each after its index, as JSON shows typed arrays.
  for (const parity of [0, 1]) yield Buffer.from(literals.filter((_, at) => at % 2 === parity)).toString();
}
