/** Which parts of an exchange come from outside: those are searched for secrets and cut, and the others are not. */

import type { FeedVerdict } from '../../feed/findings.ts';
import type { Secrets } from '../../support/secrets.ts';
import type { Mismatch } from '../support/contract.ts';
import type { Exchange, Json, Response } from '../support/evidence.ts';
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

  const redactJson = (json: Json): Json =>
    json.wellFormed
      ? {
          ...json,
          ...(json.fields && { fields: json.fields.map(redactName) }),
          ...(json.recordFields && { recordFields: json.recordFields.map(redactName) }),
          ...(json.filled && { filled: json.filled.map(redactName) }),
        }
      : json;

  const redactMessage = (one: Mismatch): Mismatch => ({ ...one, message: cut(one.message, 200) });
  // Of a profile's own schema, the pointer holds names that the deployment chose.
  const redactMismatch = (one: Mismatch): Mismatch => ({
    ...redactMessage(one),
    pointer: cut(one.pointer, 200),
  });

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

  const redactFeed = ({ sites, lastEnded, ...feed }: FeedVerdict): FeedVerdict => ({
    ...feed,
    remarks: feed.remarks.map((remark) => cut(remark, 300)),
    sites: { ...sites, first: sites.first.map((site) => cut(site, 100)) },
    ...(lastEnded && {
      lastEnded: { ...lastEnded, pointer: cut(lastEnded.pointer, 240), seen: cut(lastEnded.seen, 100) },
    }),
    findings: feed.findings.map((finding) => ({
      ...finding,
      places: finding.places.map((one) => ({
        ...one,
        pointer: cut(one.pointer, 240),
        seen: cut(one.seen, 240),
      })),
    })),
  });

  const redactResponse = (answer: Response): Response => {
    const { mediaType, tokenResponse, declared, feed, shape } = answer;
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
      json: redactJson(answer.json),
      ...(tokenResponse && {
        tokenResponse: {
          ...tokenResponse,
          ...(tokenResponse.takenFrom !== undefined && { takenFrom: cut(tokenResponse.takenFrom, 100) }),
          mismatches: tokenResponse.mismatches.map(redactMessage),
        },
      }),
      ...(shape && { shape: redactShape(shape) }),
      ...(declared && {
        declared: {
          mismatches: Object.fromEntries(
            Object.entries(declared.mismatches).map(([when, some]) => [when, some.map(redactMismatch)]),
          ),
        },
      }),
      ...(feed && { feed: redactFeed(feed) }),
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
