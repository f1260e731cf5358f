/** A text as a reader of its encoding sees it, with the way back to where each character was written. */

export interface DecodedText {
  text: string;
  /** Where each character of `text` begins in the source, and then the end of the source; absent for the source itself. */
  starts?: Uint32Array;
}

/** How often a text is decoded: an address within an address, JSON within JSON, and the file that it is written to. */
const ROUNDS = 4;

/** Percent-encoding (RFC 3986 section 2.1), escapes of JSON (RFC 8259 section 7), and entities of HTML. */
const ENCODED =
  /(?:%[\da-f]{2})+|\\u[\da-f]{4}|\\[^u]|&#x[\da-f]{1,6};|&#\d{1,7};|&(?:amp|lt|gt|quot|apos);/gi;

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The text as it is and decoded up to four times, each also without line breaks, which MIME puts into base64
 * (RFC 2045 section 6.8). Takes time linear in the length of the text.
 */
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
    /[\r\n]/.test(one.text) ? [one, rewritten(one, /[\r\n]+[ \t]*/g, () => [])] : [one],
  );
}

/** The text decoded once; without the way back. */
export const decodeOnce = (text: string): string =>
  text.replace(ENCODED, (match) =>
    charactersOf(match)
      .map(([character]) => character)
      .join(''),
  );

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
    for (const [characters, offset] of read(piece)) {
      parts.push(characters);
      back.fill(startOf(index + offset), built, built + characters.length);
      built += characters.length;
    }
    from = index + piece.length;
  }
  copy(text.length);
  back[built] = startOf(text.length);
  return { text: parts.join(''), starts: back.slice(0, built + 1) };
}

/** What an encoded piece means, and at which offset of it each part begins. */
function charactersOf(piece: string): [characters: string, offset: number][] {
  if (piece.startsWith('%')) return percentDecoded(piece);
  if (/^\\u/i.test(piece)) return [[String.fromCharCode(Number.parseInt(piece.slice(2), 16)), 0]];
  if (piece.startsWith('\\')) return [[ESCAPES[piece.slice(1)] ?? piece.slice(1), 0]];
  const numeric = /^&#(x?)([\da-f]+);$/i.exec(piece);
  if (!numeric) return [[ENTITIES[piece.slice(1, -1).toLowerCase()] ?? piece, 0]];
  const code = Number.parseInt(numeric[2] ?? '', numeric[1] ? 16 : 10);
  return [[code <= 0x10ffff ? String.fromCodePoint(code) : piece, 0]];
}

/** Bytes that are not UTF-8 are read as Latin-1, one character each. */
function percentDecoded(piece: string): [characters: string, offset: number][] {
  const bytes = Buffer.from(piece.replaceAll('%', ''), 'hex');
  const found: [string, number][] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const character = bytes.toString('utf8', at, at + length);
    const isWhole = at + length <= bytes.length && !character.includes('\ufffd');
    found.push([isWhole ? character : String.fromCharCode(bytes[at] ?? 0), at * 3]);
    at += isWhole ? length : 1;
  }
  return found;
}

/** How many bytes a character of UTF-8 has, by its first (RFC 3629 section 3). */
const sequenceLength = (first: number): number =>
  first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
