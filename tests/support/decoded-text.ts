/** A text as a reader of its encoding sees it, with the way back to where each character was written. */

export interface DecodedText {
  text: string;
  /** Where each character of `text` begins in the source, and then the end of the source; absent for the source itself. */
  starts?: Uint32Array;
}

/** How often a text is decoded: an address within an address, JSON within JSON, and the file that it is written to. */
const ROUNDS = 3;

/** A character in percent-encoding, of UTF-8 or of one byte, in an escape of JSON or of program text, or as an entity of HTML. */
const ENCODED =
  /%(?:c[2-9a-f]|d[\da-f])%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-4](?:%[89ab][\da-f]){3}|%[\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^ux]|&#x[\da-f]{1,6};|&#\d{1,7};|&(?:amp|lt|gt|quot|apos|nbsp);/gi;

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** The text as it is, and decoded up to three times. Takes linear time. */
export function readingsOf(source: string): DecodedText[] {
  const readings: DecodedText[] = [{ text: source }];
  for (let round = 0; round < ROUNDS; round++) {
    const last = readings.at(-1) as DecodedText;
    if (!/[%\\&]/.test(last.text)) break;
    const next = decoded(last);
    if (next.text === last.text) break;
    readings.push(next);
  }
  return readings;
}

/** The text decoded once; without the way back. */
export const decodeOnce = (text: string): string => text.replace(ENCODED, charactersOf);

/** What a piece means is nowhere longer than the piece, so the length of the text is enough. */
function decoded({ text, starts }: DecodedText): DecodedText {
  const parts: string[] = [];
  const back = new Uint32Array(text.length + 1);
  let built = 0;
  let from = 0;
  const startOf = (at: number) => (starts ? (starts[at] ?? 0) : at);
  const copy = (until: number) => {
    parts.push(text.slice(from, until));
    for (; from < until; from++) back[built++] = startOf(from);
  };
  for (const { index, 0: piece } of text.matchAll(ENCODED)) {
    copy(index);
    const characters = charactersOf(piece);
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
  const [, hex, decimal] = /^(?:\\[ux]|&#x)([\da-f]+);?$|^&#(\d+);$/i.exec(piece) ?? [];
  const code = Number.parseInt(hex ?? decimal ?? '', hex ? 16 : 10);
  if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : piece;
  if (piece.startsWith('\\')) return ESCAPES[piece.slice(1)] ?? piece.slice(1);
  return ENTITIES[piece.slice(1, -1).toLowerCase()] ?? piece;
}

/** Where words are that may be base64 or hexadecimal. A search for the whole at once would fill the stack where it is long. */
export function* wordsOf(text: string): Generator<[from: number, to: number]> {
  const begin = /[\w+/-]{8}/g;
  const end = /[^\w+/-]/g;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    let to = end.exec(text)?.index ?? text.length;
    begin.lastIndex = to;
    for (let padding = 0; text[to] === '=' && padding < 2; padding++) to++;
    yield [found.index, to];
  }
}

/** What a word of base64 or hexadecimal means, from each of its first characters on: others may precede the encoded text. */
export function* meaningsOf(word: string): Generator<string> {
  for (const from of [0, 1, 2, 3]) yield Buffer.from(word.slice(from), 'base64').toString();
  for (const [digits] of word.matchAll(/[\da-f]{16,}/gi))
    for (const from of [0, 1]) yield Buffer.from(digits.slice(from), 'hex').toString();
}
