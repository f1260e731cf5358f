/** Deployments with other data and health checks: the specification does not show the shape of either. */
import { instead, move, on, served, serveRecords } from '../behaviour.ts';
import { withoutData } from '../defects/token-requests.ts';
import { all, type Override, type Rows, type Variant, variantsOf } from '../deployment.ts';
import { body, type Edit, give, json, noContent, type } from '../edits.ts';
import { byId, first, numberedRecord, servedRecords } from '../served.ts';

/** Serves what depends on the number of the read. */
const each = (list: (nth: number) => unknown): Override =>
  on(
    'served',
    json((_, { nth }) => list(nth)),
  );

/** Serves records, and from the nth read on what the edit makes of them. */
const from = (nth: number, edit: Edit): Override => on({ to: 'served', from: nth }, edit);

/** Two values, at every other read. */
const SHAPES: Record<string, [what: string, odd: unknown, even: unknown]> = {
  'null-or-list': ['null and a list', null, servedRecords],
  'null-or-list-reversed': ['a list and null', servedRecords, null],
  'list-or-map-inside': ['an empty list and a map in its envelope', { ods_data: [] }, { ods_data: byId }],
  'member-left-out': ['no member, and a list', { total: 0 }, { total: 3, ods_data: servedRecords }],
  'none-or-one': ['null and one record', null, { ...first, reason: 'survey', status: 'active' }],
  'one-or-list-reversed': ['a list and one record', servedRecords, first],
  'with-or-without-envelope': ['in an envelope and not', { ods_data: servedRecords }, servedRecords],
  'other-envelope': [
    'in two envelopes',
    { ods_data: servedRecords },
    { payload: { records: servedRecords } },
  ],
};
const shapes: Rows<Override> = Object.fromEntries(
  Object.entries(SHAPES).map(([name, [what, odd, even]]) => [
    `data-shape-${name}: changes the shape of its data at each read: ${what}`,
    () => each((nth) => (nth % 2 ? odd : even)),
  ]),
);

const NO_RECORDS = 'There are no mitigation requests at the moment.';
const FORM = '<form action="/login">Sign in</form>';
const nested = [
  { site: 'Nancay', requests: servedRecords.slice(0, 2) },
  { site: 'Medicina', requests: [] },
];
const likeErrors = servedRecords.map((one, nth) => ({
  ...{ ...one, error: nth / 10, message: 'Confirmed.', status: 'expired', detail: null, code: 403 },
}));
const geojson = {
  type: 'FeatureCollection',
  features: servedRecords.map((one) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [one.right_ascension_deg, one.declination_deg] },
    properties: one,
  })),
};
const MANY = Array.from({ length: 20_000 }, (_, index) => ({ id: index, kind: 'request', state: null }));

const health = (...edits: Edit[]): Override => on({ at: 'checkHealth' }, ...edits);

const conformant = variantsOf({
  'data-array: gives the data as a list of records': () => served([{ id: 1 }, { id: 2 }]),
  'data-null: gives the data as null': () => served(null),
  'data-large: gives the data as a list of 20000 records': () => served(MANY),
  'data-scalars: gives an object of scalars': () =>
    served({ active: 48213, window: '2031-03-04T02:14:07Z', version: '7.2.1' }),
  'data-nested: gives the data as records at several depths': () => served({ sites: nested }),
  'data-error-members: gives records with members named as in errors': () => served({ ods_data: likeErrors }),
  'data-error-null: gives the data as records with an error of null next to them': () =>
    served({ error: null, message: 'OK', ods_data: servedRecords }),
  'data-status-around: gives the data as records in an envelope with a status, a code and a message': () =>
    served({ status: 'ok', code: 0, message: 'Success.', errors: [], data: servedRecords }),
  'data-geojson: gives the data as a collection of GeoJSON features': () => served(geojson),
  'data-html-inside: gives the data as records with markup in their texts': () =>
    served({ ods_data: servedRecords.map((one) => ({ ...one, note: FORM })) }),
  'data-json-suffix: gives the data as a +json type': () => on('served', type('application/geo+json')),
  'data-204: has no data at the moment, and answers 204': () => on('served', noContent),
  'health-text: answers health checks with plain text': () => health(body('OK\n', 'text/plain')),
  'health-503: is unhealthy, and its check answers 503': () => health(503, give({ status: 'down' })),
  'health-elsewhere: has its health check at /status': () => move('checkHealth', '/status'),
  'health-refuses-tokens: answers a health check with a token with 400': () =>
    on({ at: 'checkHealth', if: ({ request }) => request.headers.authorization !== undefined }, 400),
  'health-head: has its health check at HEAD': () =>
    move('checkHealth', (operation) => [{ ...operation, method: 'HEAD' }]),
  'data-records: serves records': () => serveRecords,
  'data-all-new: serves other records at each read': () =>
    each((nth) => ({ ods_data: [numberedRecord(2 * nth), numberedRecord(2 * nth + 1)] })),
  'data-empty-at-first: has no records at first': () =>
    each((nth) => ({ ods_data: nth > 2 ? servedRecords : [] })),
  'data-member-comes-later: has another member from the third read on': () =>
    each((nth) => ({ ods_data: servedRecords, ...(nth > 2 && { next_update_s: 3600 }) })),
  'data-by-id: gives the data as an object of records by their ids, which differ at each read': () =>
    each((nth) => {
      const { request_id, ...rest } = numberedRecord(nth);
      return { [request_id]: rest };
    }),
  'data-204-at-the-end: answers 204 from the fifth read on': () => all(serveRecords, from(5, noContent)),
  'data-none-with-message: has no records from the fourth read on, and says so in a message': () =>
    all(serveRecords, from(4, give({ ods_data: [], message: NO_RECORDS }))),
  ...shapes,
});

export const dataVariants: readonly Variant[] = [
  ...conformant,
  ...variantsOf(
    {
      'health-503-without-token: answers health checks with 503, but those with a token with 200': () =>
        on({ at: 'checkHealth', if: ({ request }) => request.headers.authorization === undefined }, 503),
    },
    { cannotRun: ['MRS-4.3b'] },
  ),
  // The specification does not show what an answer without records looks like.
  ...variantsOf(
    {
      'data-or-message: answers every second read with a message in the place of records': () =>
        all(serveRecords, on({ to: 'served', every: 2 }, give({ message: NO_RECORDS }))),
    },
    { cannotRun: ['MRS-5.3b'] },
  ),
  ...variantsOf(
    {
      'static-feed-down: answers each read but the first with 503': () => on({ to: 'served', from: 2 }, 503),
    },
    { profile: 'static-feed', mayNotRun: true },
  ),
  ...variantsOf(
    {
      'data-403: refuses the data to a client without a scope, with 403': () => instead('served', 'expired'),
    },
    { cannotRun: ['MRS-4.2a', ...withoutData] },
  ),
];
