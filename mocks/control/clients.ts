/** /__mock/clients: the clients, their terms and scripts; and /__mock/expire. */

import type { ClientTerms, ClientView, ExpireRequest } from '../contract/control-types.ts';
import type { Client } from '../state/clients.ts';
import { timeText } from '../state/clock.ts';
import { WHY } from '../state/one-replica.ts';
import { WHY_SERVICE } from '../state/real-service.ts';
import type { State } from '../state/state.ts';
import { nameOf } from '../state/tokens.ts';
import { jsonReply, noContent, Refusal } from './answer.ts';
import { clientNamed } from './lookup.ts';
import type { ControlRequest, ControlRoute } from './route.ts';

/** Tokens of each client in the list of all clients. */
const FEW = 10;

export function clientRoutes(state: State): ControlRoute[] {
  const { clients, tokens, scripts } = state;
  const path = '/__mock/clients/{id}';
  const scriptPath = `${path}/script`;

  const view = (client: Client, most?: number): ClientView => ({
    id: client.id,
    tokenLifetimesSeconds: client.tokenLifetimesSeconds,
    jitter: client.jitter,
    skewSeconds: client.skewMs / 1000,
    aheadSeconds: client.aheadMs / 1000,
    ...(client.scopes && { scopes: client.scopes }),
    script: scripts.of(client),
    tokensIssued: tokens.countOf(client),
    tokens: tokens
      .latestOf(client)
      .slice(most === undefined ? 0 : -most)
      .map((issued) => ({
        name: nameOf(issued),
        standing: tokens.statusOf(issued),
        issuedAt: timeText(issued.issuedAt - client.aheadMs),
        expiresAt: timeText(issued.expiresAt - client.aheadMs - client.skewMs),
        ...(issued.ended && { ended: issued.ended }),
        ...(issued.endedAt !== undefined && {
          endedAt: timeText(issued.endedAt - client.aheadMs - client.skewMs),
        }),
      })),
  });

  function put({ name, body }: ControlRequest) {
    const { script, ...terms } = body as ClientTerms;
    const known = clients.get(name);
    if (!known) {
      if (terms.secret === undefined)
        throw new Refusal(
          400,
          'invalid_request',
          `Nothing was changed: there is no client "${name.slice(0, 100)}", and a new client requires a secret.`,
        );
      return jsonReply(
        view(state.addClient({ ...terms, id: name, secret: terms.secret, script: script ?? [] })),
        201,
      );
    }
    state.changeClient(known, body);
    return jsonReply(view(known));
  }

  function end({ client, token, revoke }: ExpireRequest) {
    const ended = revoke ? 'revoked' : 'expired';
    if (client !== undefined) {
      const named = clientNamed(state, client);
      return tokens.end((issued) => issued.client === named, ended);
    }
    if (token === undefined) return tokens.end(() => true, ended);
    const named = tokens
      .latestOf(clientNamed(state, token.replace(/#\d+$/, '')))
      .find((one) => nameOf(one) === token);
    if (named) return tokens.end(named, ended);
    throw new Refusal(
      404,
      'not_found',
      `Nothing was changed: there is no token "${token.slice(0, 100)}". Tokens are named after their client, such as acme#3.`,
    );
  }

  return [
    {
      method: 'GET',
      path: '/__mock/clients',
      oneReplica: WHY.tokens,
      answer: () => jsonReply({ clients: clients.list().map((client) => view(client, FEW)) }),
    },
    {
      method: 'GET',
      path,
      oneReplica: WHY.tokens,
      answer: ({ name }) => jsonReply(view(clientNamed(state, name))),
    },
    {
      method: 'PUT',
      path,
      oneReplica: WHY.clients,
      realService: WHY_SERVICE.clients,
      takes: 'ClientTerms',
      answer: put,
    },
    {
      method: 'DELETE',
      path,
      oneReplica: WHY.clients,
      realService: WHY_SERVICE.clients,
      answer({ name }) {
        state.removeClient(clientNamed(state, name));
        return noContent;
      },
    },
    {
      method: 'GET',
      path: scriptPath,
      oneReplica: WHY.script,
      answer: ({ name }) => jsonReply({ script: scripts.of(clientNamed(state, name)) }),
    },
    {
      method: 'PUT',
      path: scriptPath,
      oneReplica: WHY.script,
      realService: WHY_SERVICE.script,
      takes: 'Script',
      answer({ name, body }) {
        const client = clientNamed(state, name);
        state.giveScript(client, body);
        return jsonReply({ script: scripts.of(client) });
      },
    },
    {
      method: 'DELETE',
      path: scriptPath,
      oneReplica: WHY.script,
      realService: WHY_SERVICE.script,
      answer({ name }) {
        scripts.give(clientNamed(state, name), []);
        return noContent;
      },
    },
    {
      method: 'POST',
      path: '/__mock/expire',
      oneReplica: WHY.expire,
      realService: WHY_SERVICE.expire,
      takes: 'ExpireRequest',
      answer: ({ body }) => jsonReply({ ended: end(body) }),
    },
  ];
}
