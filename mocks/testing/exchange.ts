/** Exchanges as a journal keeps them, for tests that need no mock. */
import { createClients } from '../state/clients.ts';
import type { Exchange } from '../state/journal.ts';
import type { IssuedToken } from '../state/tokens.ts';

/** One that was served, and of which nothing else is known. */
export const exchange = (more: Partial<Exchange> = {}): Exchange => ({
  ...{
    seq: 0,
    at: 0,
    judgedAt: 0,
    wallAt: 0,
    started: 0,
    target: '',
    misplaced: [],
    duration: 0,
    clientTime: 0,
    client: undefined,
    operation: undefined,
  },
  ...{ method: 'GET', path: '/', query: [], accept: undefined, contentType: undefined },
  ...{ authorization: undefined, fields: undefined, status: 200, reason: 'served', script: undefined },
  ...{ ended: undefined, issued: undefined, standing: undefined, headers: {}, bytes: 0, body: undefined },
  ...more,
});

/** A live token of this name, such as `acme#3`, for an exchange. */
export function withToken(name: string): Pick<Exchange, 'issued' | 'standing'> {
  const [id = '', number = ''] = name.split('#');
  const client = createClients(900).add({ id, secret: 'x' });
  const issued: IssuedToken = { value: 'x', client, number: Number(number), issuedAt: 0, expiresAt: 0, serial: 1 };
  return { issued, standing: 'valid' };
}
