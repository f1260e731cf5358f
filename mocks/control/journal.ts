/** /__mock/journal and /__mock/verify: the recorded exchanges, and whether they are what a test expects. */

import type { OperationId } from '../contract/answers.ts';
import { loadControlContract } from '../contract/control-contract.ts';
import type { Expectation, Filter } from '../contract/control-types.ts';
import { clientsIn, verify } from '../journal/call-count.ts';
import { harOf } from '../journal/har.ts';
import { entryOf } from '../journal/journal-entry.ts';
import { WHY } from '../state/one-replica.ts';
import { WHY_SERVICE } from '../state/real-service.ts';
import type { State } from '../state/state.ts';
import { jsonReply, noContent, Refusal } from './answer.ts';
import { clientNamed } from './lookup.ts';
import type { ControlRequest, ControlRoute } from './route.ts';

export function journalRoutes(state: State): ControlRoute[] {
  const { journal } = state;

  function list({ query, request }: ControlRequest) {
    const filter = filterOf(query);
    for (const id of clientsIn(journal, filter)) clientNamed(state, id);
    const found = journal.list(filter);
    const format = query.get('format') ?? 'json';
    if (format === 'har')
      return jsonReply(harOf(found, `http://${request.headers.host}`, loadControlContract().version));
    if (format !== 'json') throw new Refusal(400, 'invalid_request', 'format must be json or har.');
    return jsonReply({ lost: journal.lost(filter.since), entries: found.map(entryOf) });
  }

  return [
    { method: 'GET', path: '/__mock/journal', oneReplica: WHY.calls, answer: list },
    {
      method: 'DELETE',
      path: '/__mock/journal',
      oneReplica: WHY.calls,
      realService: WHY_SERVICE.calls,
      answer() {
        journal.clear();
        return noContent;
      },
    },
    {
      method: 'POST',
      path: '/__mock/verify',
      oneReplica: WHY.calls,
      takes: 'Expectation',
      answer({ body }) {
        const expected: Expectation = body;
        for (const id of clientsIn(journal, expected)) clientNamed(state, id); // a mistyped id would pass if no call is expected
        return jsonReply(verify(journal, expected));
      },
    },
  ];
}

/** Throws Refusal for an invalid filter. */
function filterOf(query: URLSearchParams): Filter {
  const known = ['client', 'operation', 'status', 'reason', 'token', 'since', 'limit', 'format'];
  const unknownKey = [...query.keys()].find((name) => !known.includes(name));
  if (unknownKey !== undefined)
    throw new Refusal(
      400,
      'invalid_request',
      `"${unknownKey.slice(0, 40)}" is not a filter. Valid filters are ${known.join(', ')}.`,
    );
  const text = (name: string) => query.get(name) ?? undefined;
  const filter = {
    client: text('client'),
    operation: text('operation') as OperationId | undefined,
    reason: text('reason'),
    token: text('token'),
    status: whole('status', text('status')),
    since: whole('since', text('since')),
    limit: whole('limit', text('limit')),
  };
  const { limit, ...rest } = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  );
  const fault = loadControlContract().schemaProblem('Expectation', rest);
  if (fault) throw new Refusal(400, 'invalid_request', `The filter is invalid: ${fault}.`);
  return { ...rest, ...(limit !== undefined && { limit }) } as Filter;
}

function whole(name: string, text?: string): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Refusal(400, 'invalid_request', `${name} must be a whole number.`);
}
