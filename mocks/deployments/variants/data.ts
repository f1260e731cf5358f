/** Deployments with other data and health checks: the specification does not show the shape of either. */
import { instead, move, on, served, serveRecords } from '../behaviour.ts';
import { all, type Deployment, type Override, UNDECIDED, variantsOf } from '../deployment.ts';
import {
  body,
  type Edit,
  eachRecord,
  everyTime,
  give,
  json,
  noContent,
  records,
  type ServedRecord,
  type,
} from '../edits.ts';
import { byId, first, numberedRecord, servedRecords } from '../served.ts';

/** Serves what depends on the number of the read. */
const each = (list: (nth: number) => unknown): Override =>
  on(
    'served',
    json((_, { nth }) => list(nth)),
  );
const inTurn = (odd: unknown, even: unknown) => each((nth) => (nth % 2 ? odd : even));

/** Serves records, and from the nth read on what the edit makes of them. */
const from = (nth: number, edit: Edit): Override => all(serveRecords, on({ to: 'served', from: nth }, edit));

const NO_RECORDS = 'There are no mitigation requests at the moment.';
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
const healthWith = (isWithToken: boolean, code: number): Override =>
  on(
    {
      at: 'checkHealth',
      if: ({ request }) => (request.headers.authorization !== undefined) === isWithToken,
    },
    code,
  );

export const dataVariants: readonly Deployment[] = [
  ...variantsOf({
    'data-array: gives the data as a list of records': () => served([{ id: 1 }, { id: 2 }]),
    'data-null: gives the data as null': () => served(null),
    'data-large: gives the data as a list of 20000 records': () => served(MANY),
    'data-scalars: gives an object of scalars': () =>
      served({ active: 48213, window: '2031-03-04T02:14:07Z', version: '7.2.1' }),
    'data-error-members: gives records with members named as in errors': () =>
      served({ ods_data: likeErrors }),
    'data-status-around: gives the data as records in an envelope with a status, a code and a message': () =>
      served({ status: 'ok', code: 0, message: 'Success.', errors: [], data: servedRecords }),
    'data-geojson: gives the data as a collection of GeoJSON features': () => served(geojson),
    'data-json-suffix: gives the data as a +json type': () => on('served', type('application/geo+json')),
    'data-204: has no data at the moment, and answers 204': () => on('served', noContent),
    'data-records: serves records': () => serveRecords,
    'data-empty-at-first: has no records at first': () =>
      each((nth) => ({ ods_data: nth > 2 ? servedRecords : [] })),
    'data-by-id: gives the data as an object of records by their ids, which differ at each read': () =>
      each((nth) => {
        const { request_id, ...rest } = numberedRecord(nth);
        return { [request_id]: rest };
      }),
    'data-none-with-message: has no records from the fourth read on, and says so in a message': () =>
      from(4, give({ ods_data: [], message: NO_RECORDS })),
    'data-shape-none-or-one: gives null and one record in turn': () =>
      inTurn(null, { ...first, reason: 'survey', status: 'active' }),
    'data-shape-list-or-map-inside: gives an empty list and a map in its envelope in turn': () =>
      inTurn({ ods_data: [] }, { ods_data: byId }),
    'data-shape-with-or-without-envelope: gives the data in an envelope and not, in turn': () =>
      inTurn({ ods_data: servedRecords }, servedRecords),
    'health-text: answers health checks with plain text': () => health(body('OK\n', 'text/plain')),
    'health-503: is unhealthy, and its check answers 503': () => health(503, give({ status: 'down' })),
    'health-elsewhere: has its health check at /status': () => move('checkHealth', { path: '/status' }),
    'health-refuses-tokens: answers a health check with a token with 400': () => healthWith(true, 400),
    'health-head: has its health check at HEAD': () => move('checkHealth', { method: 'HEAD' }),
  }),
  ...variantsOf(
    {
      'health-503-without-token: answers health checks with 503, but those with a token with 200': () =>
        healthWith(false, 503),
      // The specification does not show what an answer without records looks like.
      'data-or-message: answers every second read with a message in the place of records': () =>
        all(serveRecords, on({ to: 'served', every: 2 }, give({ message: NO_RECORDS }))),
      'data-403: refuses the data to a client without a scope, with 403': () => instead('served', 'expired'),
    },
    UNDECIDED,
  ),
  ...variantsOf(
    {
      'static-feed-down: answers each read but the first with 503': () => on({ to: 'served', from: 2 }, 503),
    },
    { profile: 'static-feed', ...UNDECIDED },
  ),
];

const bandTimes = (one: ServedRecord, factor: number) => ({
  freq_lower_hz: Number(one.freq_lower_hz) * factor,
  freq_upper_hz: Number(one.freq_upper_hz) * factor,
});

const recordsAre = (edit: Edit): Override => on('served', edit);

/** Mitigation requests as nrao-ods permits them in other ways. */
export const recordVariants: readonly Deployment[] = variantsOf(
  {
    'rec-optional-left-out: leaves out the fields that are optional': () =>
      recordsAre(eachRecord(({ src_id: _, corr_integ_time_sec: __, subarray: ___, ...one }) => one)),
    'rec-optional-null: gives null for the fields that are optional': () =>
      recordsAre(eachRecord({ src_id: null, corr_integ_time_sec: null, subarray: null })),
    'rec-extension-field: adds a field of its own: the bands that are actually observed': () =>
      recordsAre(eachRecord((one) => ({ ...one, freq_actual_hz: [bandTimes(one, 1)] }))),
    'rec-z-times: writes Z after times': () => recordsAre(everyTime((time) => `${time}Z`)),
    'rec-whole-seconds: writes whole seconds': () =>
      recordsAre(everyTime((time) => time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length))),
    'rec-empty: has no record at the moment': () => recordsAre(records(() => [])),
    'rec-future-only: serves only future records': () =>
      recordsAre(
        records((list, { nowMs }) => list.filter((one) => Date.parse(`${one.src_start_utc}Z`) > nowMs)),
      ),
    'rec-several-bands: has a record for each of several bands of one observation': () =>
      recordsAre(records((list) => list.flatMap((one) => [one, { ...one, ...bandTimes(one, 3) }]))),
  },
  { profile: 'nrao-ods' },
);

export const profileVariants = ['hcro', 'nrao-ods', 'ods-record', 'rfc6750', 'static-feed'].flatMap(
  (profile) =>
    variantsOf(
      { [`profile-${profile}: behaves as the mock does under the profile ${profile}`]: all },
      { profile },
    ),
);
