/** Exchanges as a journal keeps them, for tests without a mock. */
import { createClients } from '../clients.ts';
import type { Exchange } from '../exchange.ts';
import type { IssuedToken } from '../tokens.ts';

/** An exchange that was served; `more` overrides its members. */
export const exchange = (more: Partial<Exchange> = {}): Exchange => ({
  seq: 0,
  at: 0,
  wallAt: 0,
  started: 0,
  duration: 0,
  client: undefined,
  operation: undefined,
  method: 'GET',
  path: '/',
  query: [],
  target: '',
  misplaced: [],
  isConditional: false,
  accept: undefined,
  contentType: undefined,
  authorization: undefined,
  fields: undefined,
  status: 200,
  reason: 'served',
  script: undefined,
  ended: undefined,
  issued: undefined,
  tokenStatus: undefined,
  headers: {},
  bytes: 0,
  body: undefined,
  ...more,
});

/** A valid token of this name, such as `acme#3`, for an exchange. */
export function withToken(name: string): Pick<Exchange, 'issued' | 'tokenStatus'> {
  const [id = '', number = ''] = name.split('#');
  const client = createClients(900).add({ id, secret: 'x' });
  const issued: IssuedToken = {
    client,
    number: Number(number),
    issuedAt: 0,
    expiresAt: 0,
  };
  return { issued, tokenStatus: 'valid' };
}
