/** Which parts of an exchange come from outside: those are searched for secrets and cut, and the others are not. */

import type { Secrets } from '../../support/secrets.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import type { Shape } from './body-shape.ts';

/** Response headers that the reports have a use for. Any other may hold a credential, and its value is not kept. */
const KEPT_HEADERS =
  /^(allow|cache-control|connection|content-(encoding|length|type)|date|etag|expires|last-modified|location|retry-after|server|vary|www-authenticate|(x-)?rate-?limit\b.*)$/;
const MEDIA_TYPES = ['application/json', 'text/json', 'application/problem+json', 'text/html', 'text/plain'];
const HEADERS = 100;

/** To be applied when an exchange is recorded, and again when the last secret of the run is known. */
export function redactExchange(exchange: Exchange, secrets: Secrets): Exchange {
  const { request, response, failure } = exchange;
  const cut = (text: string, characters: number) => secrets.excerpt(text, characters);

  /** The verdicts read these names: a token that is one of them must not change what an answer says. */
  const redactName = (name: string): string => {
    const kept =
      /^(errors?|message|msg|detail|title|status|code|reason|fault|success|ok)$|^error[_-]/i.exec(
        name,
      )?.[0] ?? '';
    return kept + cut(name.slice(kept.length), 100);
  };

  const upTo = (characters: number) => (text: string) => cut(text, characters);

  /** Members are left out if one of their names is a secret. */
  const redactShape = ({ members, items, value, ...rest }: Shape): Shape => {
    const { required: _, ...nameless } = rest;
    const isShown = members && Object.keys(members).every((name) => secrets.redact(name) === name);
    return {
      ...(members && !isShown ? nameless : rest),
      ...(members &&
        isShown && {
          members: Object.fromEntries(Object.entries(members).map(([name, one]) => [name, redactShape(one)])),
        }),
      ...(items && { items: redactShape(items) }),
      ...(value !== undefined && { value: typeof value === 'string' ? secrets.redact(value) : value }),
    };
  };

  const redactResponse = (answer: Response): Response => {
    const { mediaType, json, tokenResponse, declared, feed, shape } = answer;
    return {
      ...answer,
      ...(mediaType !== undefined && {
        mediaType: MEDIA_TYPES.includes(mediaType) ? mediaType : cut(mediaType, 100),
      }),
      headers: answer.headers
        .slice(0, HEADERS)
        .map(([name, value]) =>
          KEPT_HEADERS.test(name) ? [name, cut(value, 500)] : [cut(name, 100), '(not kept)'],
        ),
      excerpt: cut(answer.excerpt, answer.excerpt.length),
      json: within(json, { fields: redactName, recordFields: redactName, filled: redactName }),
      ...(tokenResponse && {
        tokenResponse: within(tokenResponse, { takenFrom: upTo(100), expected: upTo(200) }),
      }),
      ...(shape && { shape: redactShape(shape) }),
      // Of a profile's own schema, the pointer holds names that the deployment chose.
      ...(declared && { declared: within(declared, { pointer: upTo(200), expected: upTo(200) }) }),
      ...(feed && {
        feed: within(feed, { remarks: upTo(300), first: upTo(100), pointer: upTo(240), seen: upTo(240) }),
      }),
    };
  };

  return {
    ...exchange,
    request: {
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name === 'authorization' ? secrets.redact(value) : value,
      ]),
      ...(request.form && { form: secrets.redact(request.form) }),
    },
    ...(response && { response: redactResponse(response) }),
    ...(failure !== undefined && { failure: cut(failure, 200) }),
  };
}

/** `value` with each text in a member of these names, at any depth, as `edits` have it. */
function within<T>(value: T, edits: Readonly<Record<string, (text: string) => string>>): T {
  const edited = (one: unknown, own: string): unknown => {
    if (typeof one === 'string') return Object.hasOwn(edits, own) ? (edits[own]?.(one) ?? one) : one;
    if (Array.isArray(one)) return one.map((item) => edited(item, own));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([member, inner]) => [member, edited(inner, member)]));
  };
  return edited(value, '') as T;
}
