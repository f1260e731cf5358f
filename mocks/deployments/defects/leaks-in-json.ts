/** Deployments whose refusals give the data away as JSON of another shape. */
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapReplyTo } from '../overrides.ts';
import { json } from '../reply-edits.ts';
import { fieldNames, servedRecords, valuesOf } from '../served-records.ts';
import { expired, leak, missing, serve, unknown } from './leak.ts';

const [first] = servedRecords;
const asJson = JSON.stringify(servedRecords);
const ids = servedRecords.map(({ request_id }) => request_id);

/** Records in which the only figures are small ones. */
const WORDS = [
  {
    name: 'Andromeda survey',
    site: 'Pushchino',
    remark: 'Avoid the whole hydrogen window until further notice',
  },
  { name: 'Cygnus monitoring', site: 'Simeiz', remark: 'Transmit below threshold during culmination only' },
];

const SMALL = [
  { id: 17, band: 42 },
  { id: 18, band: 61 },
];

/** Puts a number that was not used before into each record. */
const stamped = () => {
  let serial = 731_000_000;
  return () => servedRecords.map((one) => ({ ...one, serial: ++serial }));
};

/** Two records of an endless list, of which each call sees the next ones. */
const sliding = () => {
  let begin = 41_000;
  const record = (nth: number) => ({ request_id: `mr-${nth * 7919}`, lower_hz: 1_400_000_000 + nth * 3571 });
  return () => {
    begin++;
    return [record(begin), record(begin + 1), record(begin + 2), record(begin + 3)];
  };
};

/** Serves records that differ with each call, and puts those of the same source into the refusal of a missing token. */
const changing = (name: string, summary: string, source: () => () => unknown): Defect => ({
  ...leak(name, missing, 401, summary, (reply) => reply),
  override(parts) {
    const next = source();
    return combine(
      mapReplyTo(
        answers.served,
        json(() => ({ ods_data: next() })),
      ),
      mapReplyTo(
        answers.missingToken,
        json((error) => ({ ...error, ods_data: next() })),
      ),
    )(parts);
  },
});

export const jsonLeaks: readonly Defect[] = [
  leak(
    'error-object',
    expired,
    403,
    'in the error',
    json((error) => ({ ...error, ods_data: servedRecords })),
  ),
  changing('stamped', 'with a new number in each record', stamped),
  changing('sliding', 'as it is at that moment', sliding),
  leak(
    'one-record',
    missing,
    200,
    'as far as one record goes',
    json(() => ({ ods_data: [first] })),
  ),
  leak(
    'one-record-403',
    expired,
    403,
    'as far as one record goes',
    json((error) => ({ ...error, next: first })),
  ),
  leak(
    'scalars',
    unknown,
    401,
    'as members of the error',
    json((error) => ({ ...error, ...first })),
  ),
  leak(
    'ids',
    unknown,
    401,
    'as a list of identifiers',
    json((error) => ({ ...error, hidden: ids })),
  ),
  leak(
    'sentence',
    unknown,
    401,
    'in a sentence',
    json(() => ({ error: 'invalid_token', message: `Not permitted: ${ids.join(', ')}.` })),
  ),
  leak(
    'json-in-string',
    expired,
    403,
    'as JSON in a string',
    json((error) => ({ ...error, last: asJson })),
  ),
  leak(
    'twice-encoded',
    missing,
    401,
    'as JSON in a string in a string',
    json((error) => ({ ...error, log: JSON.stringify({ line: asJson }) })),
  ),
  leak(
    'other-member',
    unknown,
    200,
    'under another name',
    json(() => ({ result: { items: servedRecords } })),
  ),
  leak(
    'renamed-fields',
    missing,
    200,
    'with other names for its fields',
    json(() =>
      servedRecords.map((one) => Object.fromEntries(valuesOf(one).map((value, nth) => [`f${nth}`, value]))),
    ),
  ),
  leak(
    'columns',
    expired,
    403,
    'as a list of columns and a list of rows',
    json(() => ({ error: 'expired', columns: fieldNames, rows: servedRecords.map(valuesOf) })),
  ),
  leak(
    'by-id',
    missing,
    401,
    'as members named by identifier',
    json((error) => ({
      ...error,
      known: Object.fromEntries(servedRecords.map(({ request_id, ...rest }) => [request_id, rest])),
    })),
  ),
  leak(
    'deep',
    unknown,
    401,
    'twenty levels deep',
    json((error) => {
      let nested: unknown = { ods_data: servedRecords };
      for (let level = 0; level < 20; level++) nested = { cause: nested };
      return { ...error, ...(nested as object) };
    }),
  ),
  leak(
    'words',
    missing,
    200,
    'though its records hold words only',
    json(() => ({ ods_data: WORDS })),
    serve(WORDS),
  ),
  leak(
    'small-numbers',
    unknown,
    200,
    'though its records hold small numbers only',
    json(() => ({ rows: SMALL })),
    serve(SMALL),
  ),
  leak(
    'preview',
    missing,
    200,
    'as a preview next to an error',
    json(() => ({ error: 'unauthorized', message: 'This is a preview.', ods_data: [first] })),
  ),
];
