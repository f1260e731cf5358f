/** An entry of a HAR file without the secrets that became known after it was made. */
import type { Entry } from 'har-format';
import { HIDDEN, HIDDEN_PATH } from '../../../mocks/har.ts';
import type { KnownSecrets } from '../record/known-secrets.ts';
import { isJson } from './public-body.ts';
import { searchOf } from './public-entry.ts';

/** Below the base URL: they are not secrets, whatever one is like. */
const OPERATIONS: readonly string[] = ['/token/', '/ods_data/'];
/** What a client of this service sends in a form. */
const FIELDS: readonly string[] = ['grant_type', 'client_id', 'client_secret', 'scope'];

/** Where not all secrets are known, it is without what may be one: other paths, names and bodies. */
export function redactedEntry(
  entry: Entry,
  { redact, isComplete }: Pick<KnownSecrets, 'redact' | 'isComplete'>,
  baseUrl: string,
): Entry {
  const { request, response, comment } = entry;
  const isWhole = isComplete();
  const free = (text: string) => (isWhole ? redact(text) : HIDDEN);
  const [path = ''] = request.url.slice(baseUrl.length).split('?');
  const queryString = request.queryString.map(({ name, value }) => ({ name: free(name), value }));
  const withoutSecrets = (headers: Entry['request']['headers']) =>
    headers.map(({ name, value }) => ({ name, value: redact(value) }));
  const { text: before, ...content } = response.content;
  const after = before === undefined || !isWhole ? undefined : redact(before);
  const text = after !== undefined && isJson(after) === isJson(before ?? '') ? after : undefined;
  return {
    ...entry,
    request: {
      ...request,
      method: redact(request.method),
      url:
        baseUrl +
        (OPERATIONS.includes(path) ? path : isWhole ? redact(path) : HIDDEN_PATH) +
        searchOf(queryString),
      queryString,
      headers: withoutSecrets(request.headers),
      ...(request.postData && {
        postData: {
          ...request.postData,
          params: request.postData.params?.map(({ name, value = '' }) => ({
            name: FIELDS.includes(name) ? name : free(name),
            value: redact(value),
          })),
        },
      }),
    } as Entry['request'],
    response: {
      ...response,
      headers: withoutSecrets(response.headers),
      content: {
        ...content,
        ...(text !== undefined && { text }),
        ...(text !== before && { _replaced: true }),
      },
    },
    ...(comment !== undefined && { comment: redact(comment) }),
  };
}
