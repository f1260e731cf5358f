/** What people send in place of JSON, and what to say about it. */

export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The number of bytes at the beginning that show an encoding. */
export const SIGNATURE_BYTES = 3;
/** The number of bytes that are quoted where JSON ends. */
export const EXCERPT_BYTES = 24;

/** The encoding of a body that is not UTF-8, by its first bytes. */
export function foreignEncoding(body: Buffer): string | undefined {
  const [first, second] = body;
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0))
    ? 'it looks like UTF-16, but JSON is UTF-8'
    : undefined;
}

/** `bytes` begin where the body stops being JSON. */
export function notJsonFrom(bytes: Buffer): string {
  const excerpt = bytes.subarray(0, EXCERPT_BYTES).toString('utf8');
  const hint = HINTS.find(([start]) => start.test(excerpt))?.[1] ?? '';
  return `it is not JSON from here on: ${excerpt}${hint}`;
}

const HINTS: [start: RegExp, hint: string][] = [
  [/^(NaN|-?Infinity)/, ' (send null, or leave the record out)'],
  [/^(None|True|False)/, ' (Python writes this; use json.dumps)'],
  [/^'/, ' (JSON uses double quotes)'],
  [/^</, ' (a page of HTML, or XML?)'],
];
