/** The clients that may obtain a token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { secondsIn } from './clock.ts';
import type { ClientTerms, Duration } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';

/** A client as an administrator would create it (MRS-5.1a, MRS-5.1b), and its script. */
export interface MockClient extends ClientTerms {
  readonly id: string;
  readonly secret: string;
}

const TERMS: readonly string[] = [
  'id',
  'secret',
  'tokenLifetime',
  'scopes',
  'script',
] satisfies (keyof MockClient)[];

/** A client with settled terms. The same object as long as the mock knows the client. */
export interface Client {
  readonly id: string;
  secret: string;
  /** In seconds, of its first token, its second and so on; the last value is for all that follow. */
  tokenLifetimesSeconds: readonly number[];
  /** Undefined: all. Never absent, so that a restore also takes away those that were given later. */
  scopes: readonly string[] | undefined;
}

export type Clients = ReturnType<typeof createClients>;

/** The only client of a mock without a list of clients: the example of the contract's token request. */
export const demoClient: MockClient = { id: 'demo', secret: 'demo-secret' };

/** `tokenLifetime` is for clients without one of their own. Throws MockError if it is invalid. `onSecret` gets each secret that a client has. */
export function createClients(tokenLifetime: Duration, onSecret?: (secret: string) => void) {
  const tokenLifetimesSeconds = [lifetimeIn(tokenLifetime, 'The token lifetime')];
  const known = new Map<string, Client>();
  return {
    /** Every client, in the order of addition. */
    list: (): readonly Client[] => [...known.values()],
    get: (id: string) => known.get(id),
    /** The client with this id and secret. Takes as long for a wrong id as for a wrong secret. */
    authenticate(id: string, secret: string): Client | undefined {
      const client = known.get(id);
      return isSameSecret(secret, client?.secret ?? '') ? client : undefined;
    },
    /** Throws MockError for a known id and for invalid terms. */
    add(client: MockClient): Client {
      const { id, secret, script: _, ...terms } = client;
      if (typeof id !== 'string' || !id)
        throw new MockError('A client has no id. Give every client an id and a secret.');
      if (id === '.' || id === '..')
        throw new MockError(`"${id}" is not a valid client id: it cannot be used in a path. Use another id.`);
      if (typeof secret !== 'string')
        throw new MockError(`The client "${id}" has no secret. Give every client an id and a secret.`);
      if (known.has(id)) throw new MockError(`The client "${id}" exists twice. Use each id once.`);
      checkTerms(id, client);
      const added = {
        id,
        secret,
        tokenLifetimesSeconds,
        scopes: undefined,
        ...settle(id, { secret, ...terms }),
      };
      known.set(id, added);
      onSecret?.(secret);
      return added;
    },
    /** Changes everything but the script. Throws MockError for invalid terms; then nothing has changed. */
    change(client: Client, change: ClientTerms): void {
      checkTerms(client.id, change);
      Object.assign(client, settle(client.id, change));
      onSecret?.(client.secret);
    },
    /** Returns whether there was such a client. */
    remove: (id: string): boolean => known.delete(id),
    /** Returns a function that restores the clients as they are now. */
    save() {
      const saved = [...known.values()].map((client) => [client, { ...client }] as const);
      return () => {
        known.clear();
        for (const [client, state] of saved) known.set(client.id, Object.assign(client, state));
      };
    },
  };
}

function checkTerms(id: string, terms: object): void {
  const unknownKey = Object.keys(terms).find((name) => !TERMS.includes(name));
  if (unknownKey !== undefined)
    throw new MockError(
      `The client "${id}" has "${unknownKey}", which is not a term. Valid terms are ${TERMS.join(', ')}.`,
    );
}

function settle(id: string, { secret, tokenLifetime, scopes }: ClientTerms): Partial<Client> {
  if (scopes !== undefined && !Array.isArray(scopes))
    throw new MockError(
      `The scopes of the client "${id}" are not a list. Give a list of texts, or leave them out.`,
    );
  if (secret === '') throw new MockError(`The client "${id}" has an empty secret. Set one.`);
  const lifetimes = tokenLifetime === undefined ? undefined : [tokenLifetime].flat();
  if (lifetimes?.length === 0)
    throw new MockError(`The list of token lifetimes of the client "${id}" is empty. Add at least one.`);
  return {
    ...(secret !== undefined && { secret }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
    ...(lifetimes && {
      tokenLifetimesSeconds: lifetimes.map((one) =>
        lifetimeIn(one, `The token lifetime of the client "${id}"`),
      ),
    }),
  };
}

/** In seconds. */
function lifetimeIn(duration: Duration, what: string): number {
  try {
    const seconds = secondsIn(duration);
    if (seconds >= 0) return seconds;
    throw new RangeError(`"${duration}" is below 0.`);
  } catch (error) {
    throw new MockError(`${what}: ${(error as Error).message}`);
  }
}

/** Digests have the same length, as timingSafeEqual requires, and do not reveal how much was right. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
