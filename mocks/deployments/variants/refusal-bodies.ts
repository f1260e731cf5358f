/** Deployments that refuse a token, or a request without one, with any answer that does not give the data. */
import { randomUUID } from 'node:crypto';
import { answers } from '../../contract/answers.ts';
import type { Override, Variant } from '../deployment.ts';
import { combine, mapReply, mapReplyTo } from '../overrides.ts';
import { body, type Change, empty, json, mediaType, noContent, sequence, status } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';

const refused = [answers.missingToken, answers.malformedToken, answers.unknownToken];

/** With status 200, unless the change says otherwise. */
const refusal = (name: string, summary: string, change: Change, data = serveRecords): Variant => ({
  name: `refusal-${name}`,
  summary: `serves records, and answers a request without a valid token with ${summary}`,
  override: combine(data, mapReplyTo(refused, sequence(status(200), change))),
});

const object = (name: string, summary: string, value: () => unknown): Variant =>
  refusal(
    name,
    summary,
    json(() => value()),
  );

const text = (name: string, summary: string, type: string, content: string): Variant =>
  refusal(name, summary, sequence(mediaType(type), body(content)));

const links = [
  { rel: 'login', href: '/login', method: 'GET' },
  { rel: 'documentation', href: '/docs/v2/authentication-2031', method: 'GET' },
];

/** Members of the data and of every refusal. */
const about = { service: 'mrs-7.2.1', build: '20310304T021407Z', node: 'mrs-node-0417' };

/** A record with `text` for each text of the data, and `figure` for each number. */
const blank = (text: string | null, figure: number | null) =>
  Object.fromEntries(
    Object.entries(servedRecords[0]).map(([name, value]) => [
      name,
      typeof value === 'string' ? text : figure,
    ]),
  );

const period = {
  generated_at: '2031-03-04T02:10:00Z',
  valid_until: '2031-03-04T03:10:00Z',
  serial: 731_000_417,
};
/** The data of the contract's example, which has no records. */
const none: Override = () => ({});

/** Refuses with the envelope of its data, with no records or one. */
const envelope = (
  name: string,
  summary: string,
  given: Record<string, unknown>,
  refusal: Record<string, unknown>,
): Variant => ({
  name: `envelope-${name}`,
  summary: `serves ${summary} in an envelope of constants that refusals have too`,
  override: combine(
    mapReplyTo(
      answers.served,
      json(() => given),
    ),
    mapReplyTo(
      [...refused, answers.expired],
      json(() => refusal),
    ),
  ),
});

const constants = { service: 'mitigation requests', version: '7.2.1-4417' };
const framed = { ...about, ...constants, links };

export const refusalBodyVariants: readonly Variant[] = [
  envelope('one-constant', 'no records', { ...constants, ods_data: [] }, { ...constants, error: 'no' }),
  envelope('constants', 'no records', { ...framed, ods_data: [] }, { ...framed, error: 'no' }),
  envelope('null', 'null', { ...framed, ods_data: null }, { ...framed, error: 'no' }),
  envelope('nested', 'no records', { meta: framed, result: { items: [] } }, { meta: framed, error: 'no' }),
  envelope('same-bytes', 'no records', { ...framed, ods_data: [] }, { ...framed, ods_data: [] }),
  envelope(
    'one-record',
    'one record',
    { ...framed, ods_data: servedRecords.slice(0, 1) },
    { ...framed, error: 'no' },
  ),
  object('not-authenticated', '200 and "not authenticated"', () => ({
    authenticated: false,
    reason: 'not authenticated',
  })),
  object('null-data', '200, null for the data, and an error', () => ({
    data: null,
    error: { code: 401, message: 'Authentication is required.' },
  })),
  object('no-records', '200 and no records', () => ({ ods_data: [] })),
  object('no-records-and-error', '200, no records, and an error', () => ({
    ods_data: [],
    error: 'not_authenticated',
  })),
  object('list-of-errors', '200 and a list of errors', () => [
    { code: 'AUTH-0017', message: 'The token is unknown or missing.', at: '/ods_data/' },
    { code: 'AUTH-0018', message: 'Ask an administrator for a client.', at: '/token/' },
  ]),
  object('errors', '200 and an object with a list of errors', () => ({
    errors: [{ id: randomUUID(), status: '401', title: 'Unauthorised', begins: new Date(0).toISOString() }],
  })),
  object('empty-object', '200 and an empty object', () => ({})),
  object('empty-list', '200 and an empty list', () => []),
  object('null', '200 and null', () => null),
  object('false', '200 and false', () => false),
  object('json-sentence', '200 and a sentence as a JSON string', () => 'Please authenticate.'),
  object('links', '200 and a list of links', () => ({ authenticated: false, links })),
  object('links-in-list', '200 and links in the place of the records', () => ({ ods_data: links })),
  object('sample-record', '200, an error, and a made-up sample of a record', () => ({
    error: 'not_authenticated',
    sample: Object.fromEntries(Object.keys(servedRecords[0]).map((name, nth) => [name, `example ${nth}`])),
  })),
  object('counts', '200, the number of records and the names of the sites', () => ({
    authenticated: false,
    active: servedRecords.length,
    sites: servedRecords.map(({ site }) => site),
  })),
  object('time-and-id', '200, an error, the time and an id of the request', () => ({
    error: 'not_authenticated',
    timestamp: new Date().toISOString(),
    request_id: randomUUID(),
    path: '/ods_data/',
  })),
  text('sentence', '200 and a sentence', 'text/plain', 'Authentication is required.\n'),
  text(
    'xml',
    '200 and XML',
    'application/xml',
    '<?xml version="1.0"?>\n<error><code>401</code><message>Authentication is required.</message></error>\n',
  ),
  text('not-json', '200 and an unfinished JSON object', 'application/json', '{"error":'),
  refusal('blank', '200 and no body', empty),
  refusal('204', '204', noContent),
  refusal('205', '205 and no body', sequence(empty, status(205))),
  refusal(
    'same-envelope',
    '200 and the members that surround the data',
    json(() => ({ ...about, ods_data: null, error: 'not_authenticated' })),
    mapReplyTo(
      answers.served,
      json(() => ({ ...about, ods_data: servedRecords })),
    ),
  ),
  refusal(
    'same-times',
    '200, an error, and the times that surround the data',
    json(() => ({ ...period, error: 'not_authenticated' })),
    mapReplyTo(
      answers.served,
      json(() => ({ ...period, ods_data: servedRecords })),
    ),
  ),
  refusal(
    'of-scalars',
    '200 and an error, where the data is one figure in an envelope that each answer has',
    json(() => ({ ...about, error: 'not_authenticated' })),
    combine(
      mapReplyTo(
        answers.served,
        json(() => ({ active_requests: 48213 })),
      ),
      mapReply((reply, { expected }) =>
        expected === answers.issued || !expected ? reply : json((own) => ({ ...about, ...own }))(reply),
      ),
    ),
  ),
  refusal(
    'nulled',
    '200, an error, and null for each figure of the data',
    json(() => ({ status: 'error', active: null, window: null })),
    mapReplyTo(
      answers.served,
      json(() => ({ status: 'ok', active: 48213, window: '2031-03-04T02:14:07Z' })),
    ),
  ),
  refusal(
    'errors-for-list',
    '200 and a list of errors, where the data is a list of records',
    json(() => [{ code: 'AUTH-0017', message: 'The token is unknown or missing.' }]),
    mapReplyTo(
      answers.served,
      json(() => servedRecords),
    ),
  ),
  refusal(
    'without-data',
    '200, no records and an error, where the data is empty',
    json(() => ({ ods_data: [], error: 'not_authenticated' })),
    none,
  ),
  refusal(
    'null-without-data',
    '200, null for the records and an error, where the data is empty',
    json(() => ({ ods_data: null, error: 'not_authenticated' })),
    none,
  ),
  refusal(
    'reason-without-data',
    '200 and "not authenticated", where the data is empty',
    json(() => ({ authenticated: false, reason: 'not authenticated' })),
    none,
  ),
  refusal(
    'other-without-data',
    '200 and a list of links, where the data is empty',
    json(() => ({ links })),
    none,
  ),
  refusal(
    'example',
    '401 and an example of a record, with type names for values',
    sequence(
      status(401),
      json((error) => ({ ...error, example: { ods_data: [blank('string', 0)] } })),
    ),
  ),
  refusal(
    'nulled-record',
    '401 and a record of which each value is null',
    sequence(
      status(401),
      json((error) => ({ ...error, ods_data: [blank(null, null)] })),
    ),
  ),
];
