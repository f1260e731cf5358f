/** Where a text stops being JSON, for a text that JSON.parse refused. */
import { printParseErrorCode, visit } from 'jsonc-parser';

/**
 * The offset of the first byte of `bytes`, from `from` on, that cannot belong to a single JSON value; the length of
 * `bytes` where the value is only cut off; undefined where it is a value. Meant for values that are not nested deeply.
 */
export function jsonFault(bytes: Buffer, from = 0): number | undefined {
  // JSON's syntax is ASCII, and Latin-1 has one character for each byte, so that offsets count bytes.
  const text = bytes.toString('latin1', from);
  let fault: number | undefined;
  try {
    visit(text, {
      onError(code, offset, length) {
        const isInToken = /^(Invalid|UnexpectedEnd)/.test(printParseErrorCode(code));
        fault = from + (isInToken ? faultInToken(text, offset, length) : offset);
        throw FOUND;
      },
      onComment(offset) {
        fault = from + offset;
        throw FOUND;
      },
    });
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return fault;
}

/** The parser reports the whole token. Finds the bad character of a string, and the end of a token that is cut off. */
function faultInToken(text: string, offset: number, length: number): number {
  if (text[offset] !== '"')
    return offset + length >= text.length && CUT_OFF_TOKEN.test(text.slice(offset)) ? text.length : offset;
  for (const { 0: match, index } of text.slice(offset).matchAll(ESCAPE_OR_FAULT)) {
    if (match.length > 1) continue;
    const fault = offset + index;
    return CUT_OFF_ESCAPE.test(text.slice(fault, fault + 6)) ? text.length : fault;
  }
  return text.length;
}

/** A valid escape, or a character that a string cannot hold. */
const ESCAPE_OR_FAULT = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\\|[^ -\xff]/g;
const CUT_OFF_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const CUT_OFF_TOKEN = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?[\d.]*(?:[eE][+-]?)?)$/;
const FOUND = Symbol('found');
