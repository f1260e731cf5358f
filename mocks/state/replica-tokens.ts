/** The tokens of a replica: those that it issued, and those of every other replica with the same key. */
import { MockError } from '../contract/mock-error.ts';
import type { Client, Clients } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { oneReplica, WHY } from './one-replica.ts';
import { newTokenId, openToken, signToken } from './signed-token.ts';
import type { TokenKey } from './token-key.ts';
import type { IssuedToken, TokenLookup, Tokens } from './tokens.ts';

/** Tokens whose HMAC need not be computed again. */
const MOST_KNOWN = 10_000;

/**
 * `now` is the mock's clock, in milliseconds. Nothing is kept that other replicas would need: a token holds its client, its
 * issue and its expiry. A token's number is random, since no replica counts those of the others.
 */
export function createReplicaTokens(
  now: () => number,
  key: TokenKey,
  clients: Pick<Clients, 'list'>,
): Tokens {
  const known = new Map<string, IssuedToken>();
  const newest = new Map<Client, IssuedToken>();
  const counts = new Map<Client, number>();
  const byTag = new Map<string, Client>();

  const statusOf = ({ client, expiresAt }: IssuedToken) =>
    now() + client.skewMs < expiresAt ? 'valid' : 'expired';

  function remember(issued: IssuedToken): IssuedToken {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(issued.value, issued);
    return issued;
  }

  /** The clients are settled once the mock has started. */
  function clientOf(tag: Uint8Array): Client | undefined {
    const all = clients.list();
    if (byTag.size < all.length) for (const client of all) byTag.set(hex(key.clientTag(client.id)), client);
    return byTag.get(hex(tag));
  }

  function opened(value: string): IssuedToken | undefined {
    const claims = openToken(value, key.signing);
    const client = claims && clientOf(claims.client);
    if (!client) return undefined;
    const { id, issuedAt, expiresAt } = claims;
    return remember({ value, client, number: id.readUInt32BE(0), issuedAt, expiresAt, serial: 0 });
  }

  return {
    issue({ client, lifetimeSeconds }) {
      const id = newTokenId();
      const issuedAt = now();
      const expiresAt = withinCalendar(issuedAt + lifetimeSeconds * 1000);
      const value = signToken({ id, client: key.clientTag(client.id), issuedAt, expiresAt }, key.signing);
      const number = id.readUInt32BE(0);
      newest.set(client, remember({ value, client, number, issuedAt, expiresAt, serial: 0 }));
      counts.set(client, (counts.get(client) ?? 0) + 1);
      return value;
    },
    find(token): TokenLookup {
      const issued = known.get(token) ?? opened(token);
      return issued ? { status: statusOf(issued), issued } : { status: 'unknown' };
    },
    countOf: (client) => counts.get(client) ?? 0,
    newestOf: (client) => newest.get(client),
    latestOf: (client) => [newest.get(client) ?? []].flat(),
    statusOf,
    end() {
      throw new MockError(oneReplica(WHY.expire));
    },
    nextExpiry() {
      throw new MockError(oneReplica(WHY.nextExpiry));
    },
    save: () => () => {},
  };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
