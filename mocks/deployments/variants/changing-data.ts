/** Deployments whose data changes during a run, or has another shape than a list of records. */
import { answers } from '../../contract/answers.ts';
import type { Variant } from '../deployment.ts';
import { combine, mapReplyTo, mapSomeRepliesTo } from '../overrides.ts';
import { body, type Change, json, noContent } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';

const data = (name: string, summary: string, value: () => unknown): Variant => ({
  name: `data-${name}`,
  summary: `gives the data as ${summary}`,
  override: mapReplyTo(
    answers.served,
    json(() => value()),
  ),
});

/** Changes the data from its nth read on. */
const from = (name: string, nth: number, summary: string, change: Change): Variant => ({
  name: `data-${name}`,
  summary,
  override: combine(
    serveRecords,
    mapSomeRepliesTo(answers.served, change, (one) => one >= nth),
  ),
});

/** Serves records that depend on the number of the read. */
const each = (name: string, summary: string, list: (nth: number) => unknown): Variant => ({
  name: `data-${name}`,
  summary,
  override(parts) {
    let nth = 0;
    return mapReplyTo(
      answers.served,
      json(() => list(++nth)),
    )(parts);
  },
});

/** Serves one value at every other read and another at the rest: which comes first, a deployment may not notice. */
const bothOrders = (name: string, summary: string, some: unknown, others: unknown): Variant[] =>
  [[name, some, others] as const, [`${name}-reversed`, others, some] as const].map(([one, odd, even]) => ({
    ...each(`shape-${one}`, `changes the shape of its data at each read: ${summary}`, (nth) =>
      nth % 2 ? odd : even,
    ),
  }));

const none: Change = json(() => ({ ods_data: [] }));
const byId = Object.fromEntries(servedRecords.map((one) => [one.request_id, one]));
const numbered = (nth: number) => ({ request_id: `mr-${nth * 7919}`, lower_hz: 1_400_000_000 + nth * 3571 });

export const changingDataVariants: readonly Variant[] = [
  { name: 'data-records', summary: 'serves records', override: serveRecords },
  each('all-new', 'serves other records at each read', (nth) => ({
    ods_data: [numbered(2 * nth), numbered(2 * nth + 1)],
  })),
  each('growing', 'serves one record more at each read', (nth) => ({
    ods_data: Array.from({ length: nth }, (_, index) => numbered(index + 1)),
  })),
  each('stamped', 'puts the number of the read into each record', (nth) => ({
    read: nth,
    ods_data: servedRecords.map((one) => ({ ...one, serial: 731_000_000 + nth })),
  })),
  each('empty-at-first', 'has no records at the first two reads', (nth) => ({
    ods_data: nth > 2 ? servedRecords : [],
  })),
  each('now-and-then', 'has records at every other read', (nth) => ({
    ods_data: nth % 2 ? servedRecords : [],
  })),
  each('member-comes-later', 'has another member from the third read on', (nth) => ({
    ods_data: servedRecords,
    ...(nth > 2 && { next_update_s: 3600 }),
  })),
  from('empty-later', 3, 'has no more records from the third read on', none),
  from('204-later', 3, 'has no more records from the third read on, and answers 204', noContent),
  from('204-at-the-end', 5, 'has no more records after the first token, and answers 204', noContent),
  {
    ...from('list-empty-later', 4, 'gives a list of records, which is empty from the fourth read on', none),
    override: combine(
      mapReplyTo(
        answers.served,
        json(() => servedRecords),
      ),
      mapSomeRepliesTo(answers.served, body('[]'), (nth) => nth > 3),
    ),
  },
  ...bothOrders('null-or-list', 'null and a list', null, servedRecords),
  ...bothOrders(
    'null-or-list-inside',
    'null and a list in its envelope',
    { ods_data: null },
    { ods_data: servedRecords },
  ),
  ...bothOrders('list-or-map', 'an empty list and a map', [], byId),
  ...bothOrders(
    'list-or-map-inside',
    'an empty list and a map in its envelope',
    { ods_data: [] },
    { ods_data: byId },
  ),
  ...bothOrders('full-list-or-map', 'a list and a map', servedRecords, byId),
  ...bothOrders(
    'member-left-out',
    'no member, and a list',
    { total: 0 },
    { total: 3, ods_data: servedRecords },
  ),
  ...bothOrders('one-or-list', 'one record and a list', servedRecords[0], servedRecords),
  ...bothOrders(
    'one-or-list-inside',
    'one record and a list in its envelope',
    { ods_data: servedRecords[0] },
    { ods_data: servedRecords },
  ),
  ...bothOrders('none-or-one', 'null and one record', null, {
    ...servedRecords[0],
    reason: 'survey',
    status: 'active',
  }),
  ...bothOrders(
    'with-or-without-envelope',
    'a list in an envelope and by itself',
    { ods_data: servedRecords },
    servedRecords,
  ),
  ...bothOrders(
    'other-envelope',
    'a list in two envelopes',
    { ods_data: servedRecords },
    { payload: { records: servedRecords } },
  ),
  data('string', 'one string', () => 'MR 48213: avoid 1420.4 MHz until 2031-03-04T05:44Z'),
  data('number', 'one number', () => 48213),
  data('scalars', 'an object of scalars', () => ({
    active: 48213,
    window: '2031-03-04T02:14:07Z',
    version: '7.2.1',
  })),
  data('nested', 'records at several depths', () => ({
    sites: [
      { site: 'Nancay', requests: servedRecords.slice(0, 2) },
      { site: 'Medicina', requests: [] },
    ],
  })),
  data('error-members', 'records with members that are named as in errors', () => ({
    ods_data: servedRecords.map((one, nth) => ({
      ...one,
      error: nth / 10,
      message: 'Confirmed.',
      status: 'expired',
      detail: null,
      code: 403,
    })),
  })),
  data('error-null', 'records with an error of null next to them', () => ({
    error: null,
    message: 'OK',
    ods_data: servedRecords,
  })),
  data('with-links', 'records with links next to them', () => ({
    ods_data: servedRecords,
    links: [{ rel: 'self', href: '/ods_data/' }],
  })),
  data('status-around', 'records in an envelope with a status, a code and a message', () => ({
    status: 'ok',
    code: 0,
    message: 'Success.',
    errors: [],
    data: servedRecords,
  })),
  data('geojson', 'a collection of GeoJSON features', () => ({
    type: 'FeatureCollection',
    features: servedRecords.map((one) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [one.right_ascension_deg, one.declination_deg] },
      properties: one,
    })),
  })),
  data('html-inside', 'records with markup in their texts', () => ({
    ods_data: servedRecords.map((one) => ({ ...one, note: '<form action="/login">Sign in</form>' })),
  })),
];
