/**
 * An exchange as an entry of a HAR file, without secrets: names are in the place of tokens and secrets, and numbers in
 * that of values. What the judges compare stays comparable, and what was wrong stays wrong.
 */
import { createHash } from 'node:crypto';
import type { Entry } from 'har-format';
import type { Exchange } from '../../../mocks/exchange.ts';
import { HIDDEN, harEntry, labelOf } from '../../../mocks/har.ts';
import { redirectOf } from '../../../tests/client/passive/judge-traffic.ts';
import { isJsonMediaType, mediaTypeOf } from '../../../tests/server/support/json.ts';
import type { Secrets } from '../../../tests/support/secrets.ts';
import { bearerOf, formOf, isMasked } from '../../../tests/traffic/credentials.ts';
import { fieldNamed } from '../../../tests/traffic/exchange.ts';
import { isMadeUp } from '../../../tests/traffic/tokens.ts';
import type { Judged } from '../../judge/read-recording.ts';
import { publicBody } from './public-body.ts';

/** More values than these get one common name. */
const MOST_NAMED = 20_000;
/** What is not one of these may be anything (RFC 6749, 4). */
const GRANTS = /^(client_credentials|password|authorization_code|refresh_token|implicit)$/;
/** In the place of another one, which is not taken for the right one. */
const OTHER_GRANT = '‹other›';
/** In the place of a cookie; the judges take no text that short for a secret. */
const COOKIE = '‹…›';

/** Returns what makes the entries of one file. */
export function createEntryWriter(baseUrl: string) {
  const tokenName = createNames('unknown');
  const secretName = createNames('secret');
  const valueName = createNames('value');

  return (shown: Exchange, judged: Judged, redact: Secrets['redact']): Entry => {
    const { exchange, kind } = judged;
    const entry = harEntry({ ...shown, body: undefined }, baseUrl);
    const { token } = judged.recorded;
    const label = shown.issued ? labelOf(shown.issued) : token === undefined ? HIDDEN : tokenName(token);
    const text = publicBody(judged, label, redact);
    const body = kind === 'token' ? undefined : exchange.answer?.readBody();
    const { comment: _, text: __, ...content } = entry.response.content;
    const params =
      exchange.answer && text !== undefined
        ? {
            size: Buffer.byteLength(text),
            text,
            ...(body && text !== body.toString('utf8') && { _replaced: true }),
          }
        : {};
    return {
      ...entry,
      request: { ...entry.request, ...requestOf(entry.request) },
      response: {
        ...entry.response,
        status: exchange.answer?.status ?? 0,
        headers: [...entry.response.headers.map(withType), ...redirect()],
        content: { ...content, ...params },
      },
      ...(exchange.proxyAnswer !== undefined && { _proxyAnswer: exchange.proxyAnswer }),
    };

    /** A type of JSON that is too long to be shown, as one that is not. */
    function withType(header: { name: string; value: string }) {
      const type = mediaTypeOf(exchange.answer && fieldNamed(exchange.answer.headers, 'content-type'));
      const isHidden = header.name === 'content-type' && header.value.startsWith('‹');
      return isHidden && type !== 'application/json' && isJsonMediaType(type)
        ? { ...header, value: 'application/x-hidden+json' }
        : header;
    }

    /** Where a service sends a client to one of its operations: it is not at the wrong path of its own accord then. */
    function redirect(): Entry['response']['headers'] {
      const path = redirectOf(exchange);
      return path !== undefined && /^(\/[\w.-]{1,20}){0,4}\/(token|ods_data)\/*$/i.test(path)
        ? [{ name: 'location', value: path }]
        : [];
    }

    function requestOf(request: Entry['request']) {
      const { query, fields = [] } = shown;
      const values = exchange.query.map(([name, value]) =>
        value === '' || name === 'client_id'
          ? ''
          : name === 'client_secret'
            ? secretName(value)
            : valueName(`${name}=${value}`),
      );
      const named = query.map((name, at) => ({ name, value: values[at] ?? '' }));
      const form = formOf(exchange);
      return {
        url: (request.url.split('?')[0] ?? '') + searchOf(named),
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
      return GRANTS.test(value) ? value : isMasked(value) ? HIDDEN : OTHER_GRANT;
    }
  };
}

/** A query, with its question mark. */
export const searchOf = (query: readonly { name: string; value: string }[]): string =>
  query
    .map(({ name, value }, at) => {
      const text = encodeURIComponent(name) + (value === '' ? '' : `=${encodeURIComponent(value)}`);
      return (at === 0 ? '?' : '&') + text;
    })
    .join('');

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
