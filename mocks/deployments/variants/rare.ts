/** Permitted deployments that are easily taken for wrong ones. */
import { type Answer, answers } from '../../contract/answers.ts';
import type { Override, Variant } from '../deployment.ts';
import { combine, mapReply, mapReplyTo, mapSomeRepliesTo } from '../overrides.ts';
import { body, type Change, json, sequence, status } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';

const refused: readonly Answer[] = [answers.missingToken, answers.malformedToken, answers.unknownToken];
const refusal = (name: string, summary: string, change: Change, data: Override = serveRecords): Variant => ({
  name: `refusal-${name}`,
  summary: `answers a request without a valid token with ${summary}`,
  override: combine(data, mapReplyTo(refused, sequence(status(200), change))),
});
const provider = { provider: 'obs-3041', schema: 'v1.4.2' };

/** Refuses everything with `code` once six bad tokens were sent, or resets the connection. */
const bans = (name: string, code: number | 'reset'): Variant => ({
  name: `bans-${name}`,
  summary: `refuses everything with ${code} once six bad tokens were sent`,
  // Neither says anything about what was asked then.
  cannotRun: ['MRS-1.3', 'MRS-4.1f', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j', 'MRS-5.5a', 'MRS-5.5b'],
  override(parts) {
    let bad = 0;
    return combine(
      serveRecords,
      mapReply((reply, { expected, request }) => {
        if (expected === answers.unknownToken) bad++;
        if (bad < 6) return reply;
        if (code === 'reset') request.socket.resetAndDestroy();
        return code === 'reset' ? reply : sequence(status(code), body('{"error":"banned"}'))(reply);
      }),
    )(parts);
  },
});

export const rareVariants: readonly Variant[] = [
  refusal(
    'provider',
    '200, an error, and what each record names too: the provider and the schema',
    json(() => ({ ...provider, error: 'not_authenticated' })),
    mapReplyTo(
      answers.served,
      json(() => ({ ods_data: servedRecords.map((one) => ({ ...one, ...provider })) })),
    ),
  ),
  refusal(
    'string-for-string',
    '200 and a sentence as a JSON string, where the data is a JSON string',
    json(() => 'Please authenticate.'),
    mapReplyTo(
      answers.served,
      json(() => 'MR 48213: avoid 1420.4 MHz until 2031-03-04T05:44Z'),
    ),
  ),
  {
    name: 'bad-tokens-cut-off',
    summary: 'closes the connection of each bad token after the sixth without an answer',
    override(parts) {
      let bad = 0;
      return combine(
        serveRecords,
        mapReply((reply, { expected, request }) => {
          if (expected === answers.unknownToken && ++bad > 6) request.socket.destroy();
          return reply;
        }),
      )(parts);
    },
  },
  {
    name: 'data-by-id',
    summary: 'gives the data as an object of records by their ids, which differ at each read',
    override(parts) {
      let nth = 0;
      return mapReplyTo(
        answers.served,
        json(() => ({ [`mr-${++nth * 7919}`]: { lower_hz: 1_400_000_000 + nth * 3571 } })),
      )(parts);
    },
  },
  {
    name: 'data-none-with-message',
    summary: 'has no records from the fourth read on, and says so in a message',
    override: combine(
      serveRecords,
      mapSomeRepliesTo(
        answers.served,
        json(() => ({ ods_data: [], message: 'There are no mitigation requests at the moment.' })),
        (nth) => nth > 3,
      ),
    ),
  },
  {
    name: 'data-message-only',
    summary: 'has no mitigation requests, and says so in a message',
    override: mapReplyTo(
      answers.served,
      json(() => ({ status: 'ok', message: 'There are no mitigation requests at the moment.' })),
    ),
  },
  bans('with-429', 429),
  bans('by-reset', 'reset'),
  {
    name: 'wrong-credentials-reset',
    summary: 'resets the connection of a form with wrong credentials',
    cannotRun: ['MRS-4.1j'],
    override: mapReply((reply, { expected, request }) => {
      if (expected === answers.wrongCredentials) request.socket.resetAndDestroy();
      return reply;
    }),
  },
  {
    name: 'refusal-reset',
    summary: 'resets the connection of a request without a valid token',
    cannotRun: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'],
    override: combine(
      serveRecords,
      mapReply((reply, { expected, request }) => {
        if (expected && refused.includes(expected)) request.socket.resetAndDestroy();
        return reply;
      }),
    ),
  },
];
