/** Bodies of answers as a HAR file may have them: without secrets, and yet judged as the real ones. */
import { hasTwice } from '../../../tests/server/probe/token-answer.ts';
import { parseJson } from '../../../tests/server/support/json.ts';
import type { Secrets } from '../../../tests/support/secrets.ts';
import { fieldNamed } from '../../../tests/traffic/exchange.ts';
import type { Judged } from '../../judge/read-recording.ts';

/** In bytes. A client of this service reads less than that. */
const MOST_BYTES = 1024 * 1024;
const TEXT = /^(application\/([\w.+-]+\+)?(json|xml)|text\/)/;
const MARK = '\ufeff';

/** Undefined where the body would not be judged as the real one, or is not judged at all. */
export function publicBody(
  { kind, exchange: { answer }, recorded: { token, response } }: Judged,
  label: string,
  redact: Secrets['redact'],
): string | undefined {
  const body = kind === 'token' || kind === 'data' ? answer?.readBody() : undefined;
  if (!answer || !body || body.length > MOST_BYTES) return undefined;
  if (body.length > 0 && !TEXT.test(fieldNamed(answer.headers, 'content-type') ?? '')) return undefined;
  const text = body.toString('utf8');
  if (!Buffer.from(text).equals(body)) return undefined;
  if (kind === 'token') {
    const shown = publicTokenAnswer(text, token, label, redact);
    return response && hasTwice(response) ? shown?.replace(FIRST_MEMBER, '$1$2,$2') : shown;
  }
  const redacted = redact(text.replace(CREDENTIAL, hiddenMember));
  return isJson(redacted) === isJson(text) ? redacted : undefined;
}

/** The first member of an object, where its value has no parts: parsing lost that one was there twice. */
const FIRST_MEMBER = /^(\ufeff?\{)("[^"]*":(?:"[^"]*"|[\w.+-]+))/;

/** Members of JSON whose values are credentials by their names. */
const CREDENTIAL = /("[^"\\]*(?:token|secret|passw)[^"\\]*"\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/gi;
const hiddenMember = (_: string, name: string, value: string) =>
  name + (value.startsWith('"') ? '"‹not kept›"' : '0');

/** Whatever it holds may be a credential. Its form stays, with the name of its token in the place of that. */
function publicTokenAnswer(
  text: string,
  token: string | undefined,
  label: string,
  redact: Secrets['redact'],
): string | undefined {
  const mark = text.startsWith(MARK) ? MARK : '';
  const content = text.slice(mark.length);
  const parsed = parseJson(Buffer.from(content));
  if (!parsed.wellFormed)
    return parsed.refused ? undefined : mark + (content.trim() === token ? label : masked(content));

  const shownName = (name: string) => (/^[\w.-]{1,40}$/.test(name) ? redact(name) : masked(name));
  const shown = (value: unknown, name: string, isNamed: boolean): unknown => {
    if (value === token) return label;
    if (typeof value === 'string') return isNamed || !isPlain(name, value) ? masked(value) : redact(value);
    if (typeof value === 'number') return isNamed || Math.abs(value) > MOST_SECONDS ? 0 : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => shown(item, name, isNamed));
    return Object.fromEntries(
      Object.entries(value).map(([own, member]) => [
        shownName(own),
        shown(member, own, own !== 'token_type' && (isNamed || /token|secret|passw/i.test(own))),
      ]),
    );
  };
  return mark + JSON.stringify(shown(parsed.value, '', false));
}

/** A year: a larger number is not a lifetime. */
const MOST_SECONDS = 366 * 86_400;

/** Words of a standard member that are shorter than a credential (RFC 6749, 5.1 and 5.2; RFC 9457). */
const isPlain = (name: string, value: string): boolean =>
  /^(token_type|scope|error|error_description|message|detail|title|type)$/.test(name) &&
  /^([a-z_]{1,19}[.,:;!?]*( |$))*$/i.test(value);

/** Only the length of its words, and the signs that make it JSON or markup. */
const masked = (text: string): string =>
  text.replace(/[^\s{}[\]":,<>/\\]/g, (sign) => (/\p{L}/u.test(sign) ? 'x' : /\d/.test(sign) ? '0' : '-'));

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
