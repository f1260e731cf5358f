/** The clients that may obtain a token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { MockError } from './mock-error.ts';

/** A client as an administrator would create it (MRS-5.1a, MRS-5.1b). */
export interface MockClient {
  id: string;
  secret: string;
  /** How long this client's tokens live, in seconds; without it, the mock's own lifetime. */
  tokenLifetimeSeconds?: number;
}

/** A client whose lifetime is settled. */
export type Client = Required<MockClient>;

export interface Clients {
  readonly list: readonly Client[];
  /** The client with this id and secret. Takes as long for a wrong id as for a wrong secret. */
  authenticate(id: string, secret: string): Client | undefined;
}

/** The one client of a mock that was told of none: the example of the contract's token request. */
export const demoClient: MockClient = { id: 'demo', secret: 'demo-secret' };

/** Throws MockError for an empty or repeated id, an empty secret, and an impossible lifetime. */
export function createClients(given: readonly MockClient[], lifetimeSeconds: number): Clients {
  checkLifetime(lifetimeSeconds, 'the token lifetime');
  const known = new Map<string, { client: Client; digest: Buffer }>();
  for (const client of given) {
    check(client, known.has(client.id));
    const { id, secret, tokenLifetimeSeconds = lifetimeSeconds } = client;
    known.set(id, { client: { id, secret, tokenLifetimeSeconds }, digest: sha256(secret) });
  }
  const nobody = sha256('');

  return {
    list: [...known.values()].map(({ client }) => client),
    authenticate(id, secret) {
      const entry = known.get(id);
      // Digests are of one length, as timingSafeEqual demands, and do not tell how much was right.
      const same = timingSafeEqual(sha256(secret), entry?.digest ?? nobody);
      return same ? entry?.client : undefined;
    },
  };
}

function check({ id, secret, tokenLifetimeSeconds }: MockClient, repeated: boolean): void {
  if (!id) throw new MockError('A client has an empty id. Give every client an id and a secret.');
  if (!secret) throw new MockError(`The client "${id}" has an empty secret. Give it one.`);
  if (repeated) throw new MockError(`The client "${id}" is given twice. Give each client once.`);
  if (tokenLifetimeSeconds !== undefined)
    checkLifetime(tokenLifetimeSeconds, `the token lifetime of the client "${id}"`);
}

function checkLifetime(seconds: number, what: string): void {
  if (Number.isFinite(seconds) && seconds >= 0) return;
  throw new MockError(`${seconds} is no value for ${what}. Give a number of seconds, zero or more.`);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
