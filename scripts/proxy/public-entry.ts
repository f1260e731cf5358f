/**
 * An exchange as an entry of a HAR file, without secrets: names are in the place of tokens and secrets, and numbers in
 * that of values. What the judges compare stays comparable, and what was wrong stays wrong.
 */
import { createHash } from 'node:crypto';
import type { Entry } from 'har-format';
import { HIDDEN, harEntry, labelOf } from '../../mocks/journal/har.ts';
import type { Exchange } from '../../mocks/state/journal.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { bearerOf, formOf } from '../../tests/traffic/credentials.ts';
import { fieldNamed } from '../../tests/traffic/exchange.ts';
import { isMadeUp } from '../../tests/traffic/token-history.ts';
import type { Judged } from '../judge/read-recording.ts';

/** Of a body, in bytes. A client of this service reads less than that. */
const MOST_BYTES = 1024 * 1024;
const TEXT = /^(application\/([\w.+-]+\+)?(json|xml)|text\/)/;
/** Names in a query whose values are left out: a client may send credentials there. */
const SENSITIVE = /token|secret|client_id|key|passw|assertion|session|code/i;
/** More values than these get one common name. */
const MOST_NAMED = 20_000;
/** In the place of a cookie; the judges take no text that short for a secret. */
const COOKIE = '‹…›';

/** Returns what writes the entries of one file. `secrets`: those that are known; undefined where there are more. */
export function createEntryWriter(baseUrl: string) {
  const tokenName = createNames('unknown');
  const secretName = createNames('secret');
  const valueName = createNames('value');

  return (shown: Exchange, judged: Judged, secrets: Secrets | undefined): object => {
    const { exchange, kind } = judged;
    const entry = harEntry({ ...shown, body: undefined }, baseUrl);
    const text = secrets && publicText(shown, judged, secrets);
    const { comment: _, text: __, ...content } = entry.response.content;
    const params = exchange.answer && text !== undefined ? { size: Buffer.byteLength(text), text } : {};
    return {
      ...entry,
      request: { ...entry.request, ...requestOf(entry.request) },
      response: {
        ...entry.response,
        status: exchange.answer?.status ?? 0,
        content: { ...content, ...params },
      },
      ...(exchange.proxyAnswer !== undefined && { _proxyAnswer: exchange.proxyAnswer }),
    };

    function requestOf(request: Entry['request']) {
      const { query, fields = [] } = shown;
      const values = exchange.query.map(([name, value]) =>
        value === '' || SENSITIVE.test(name) ? '' : valueName(`${name}=${value}`),
      );
      const named = query.map((name, at) => ({ name, value: values[at] ?? '' }));
      const search = named
        .map(
          ({ name, value }) =>
            encodeURIComponent(name) + (value === '' ? '' : `=${encodeURIComponent(value)}`),
        )
        .join('&');
      const form = formOf(exchange);
      return {
        url: (request.url.split('?')[0] ?? '') + (search === '' ? '' : `?${search}`),
        queryString: named,
        headers: [
          ...request.headers.map(({ name, value }) => ({
            name,
            value: name === 'authorization' ? authorization(value) : value,
          })),
          ...(fieldNamed(exchange.headers, 'cookie') === undefined
            ? []
            : [{ name: 'cookie', value: COOKIE }]),
        ],
        ...(request.postData && {
          postData: {
            mimeType: request.postData.mimeType,
            params: fields.map((name, at) => ({ name, value: fieldValue(name, form?.[at]?.[1] ?? '') })),
          },
        }),
      };
    }

    /** What clients send in the place of a token is not one. */
    function authorization(value: string): string {
      const token = bearerOf(exchange);
      if (kind !== 'data' || !token || shown.issued) return value;
      return `Bearer ${isMadeUp(token) ? 'undefined' : tokenName(token)}`;
    }

    function fieldValue(name: string, value: string): string {
      if (value === '') return '';
      if (name === 'client_id') return shown.client ?? HIDDEN;
      if (name === 'client_secret') return secretName(value);
      if (name !== 'grant_type') return HIDDEN;
      if (value === 'client_credentials') return value;
      return secrets ? secrets.redact(value).slice(0, 40) : HIDDEN;
    }
  };
}

/** Names for values that must not be shown, each its own. */
function createNames(what: string): (value: string) => string {
  const names = new Map<string, string>();
  return (value) => {
    const key = createHash('sha256').update(value).digest('base64url').slice(0, 22);
    const known = names.get(key);
    if (known !== undefined || names.size >= MOST_NAMED) return known ?? HIDDEN;
    const name = `‹${what}-${names.size + 1}›`;
    names.set(key, name);
    return name;
  };
}

/** The body without secrets; undefined where it would not be judged as the real one, or is not judged at all. */
function publicText(
  { issued }: Exchange,
  { kind, exchange: { answer }, recorded: { token } }: Judged,
  secrets: Secrets,
): string | undefined {
  const body = kind === 'token' || kind === 'data' ? answer?.readBody() : undefined;
  if (!answer || !body || body.length > MOST_BYTES) return undefined;
  if (body.length > 0 && !TEXT.test(fieldNamed(answer.headers, 'content-type') ?? '')) return undefined;
  const text = body.toString('utf8');
  if (!Buffer.from(text).equals(body)) return undefined;
  // A new token is written by its name, in the place where it was.
  const named =
    token === undefined
      ? text
      : text.replaceAll(quoted(token), issued ? quoted(labelOf(issued)) : quoted(token));
  if (kind === 'token' && token !== undefined && named === text) return undefined;
  const redacted = secrets.redact(named);
  return secrets.leaks(redacted).length > 0 || isJson(redacted) !== isJson(text) ? undefined : redacted;
}

/** As it is written within a JSON string. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
