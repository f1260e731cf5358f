/** The clients that may obtain a token. */
import type { Duration, Step } from '../contract/control-types.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { MockError } from '../contract/mock-error.ts';
import { withinCalendar } from './clock.ts';
import { secondsIn } from './duration.ts';

/** A client as an administrator would create it (MRS-5.1a, MRS-5.1b), and what it shall meet. */
export interface MockClient {
  id: string;
  secret: string;
  /**
   * How long this client's tokens live; without it, as long as the mock's. A list is for its first token, its
   * second and so on; the last of the list is for all that follow.
   */
  tokenLifetime?: Duration | readonly Duration[];
  /** By which share a lifetime may be longer or shorter, drawn from the seed: 0.1 is ±10 %. Default 0. */
  jitter?: number;
  /** How far the clock of the data is ahead of that of the token endpoint: tokens expire that much earlier. */
  skew?: Duration;
  /** What an administrator has allowed it; default: all. With none, a call for data is refused for lack of scope. */
  scopes?: readonly string[];
  /** What happens on which of its calls. */
  script?: readonly Step[];
}

/** All of them: the compiler asks for each. */
const TERMS: Record<keyof MockClient, true> = {
  ...{ id: true, secret: true, tokenLifetime: true, jitter: true, skew: true, scopes: true, script: true },
};

/** What can be changed while the mock runs; a script takes the place of the last. */
export type ClientChange = Partial<Omit<MockClient, 'id'>>;

/** A client whose terms are settled. One object for as long as the mock knows the client. */
export interface Client {
  readonly id: string;
  secret: string;
  /** In seconds, of its first token, its second and so on; the last is for all that follow. */
  tokenLifetimesSeconds: readonly number[];
  jitter: number;
  skewMs: number;
  /** Absent: all. */
  scopes?: readonly string[];
  /** How far its own time is ahead of the mock's clock: a script moves the one without the other. */
  aheadMs: number;
}

export interface Clients {
  /** Every client, in the order in which the mock came to know them. */
  list(): readonly Client[];
  get(id: string): Client | undefined;
  /** The client with this id and secret. Takes as long for a wrong id as for a wrong secret. */
  authenticate(id: string, secret: string): Client | undefined;
  /** Throws MockError for an id that is known, and for terms that cannot be. */
  add(client: MockClient): Client;
  /** All but the script. Throws MockError for terms that cannot be; then nothing has changed. */
  change(client: Client, change: ClientChange): void;
  /** Whether there was one. */
  remove(id: string): boolean;
  /** Returns what brings the clients back to where they are now. */
  save(): () => void;
}

/** The one client of a mock that was told of none: the example of the contract's token request. */
export const demoClient: MockClient = { id: 'demo', secret: 'demo-secret' };

/** `tokenLifetime` is for clients that have none of their own. Throws MockError for one that cannot be. */
export function createClients(tokenLifetime: Duration): Clients {
  const ofMock = { tokenLifetimesSeconds: [lifetimeIn(tokenLifetime, 'the token lifetime')] };
  const known = new Map<string, Client>();
  const nobody = sha256('');
  const digests = new WeakMap<Client, { of: string; digest: Buffer }>();

  function digestOf(client: Client): Buffer {
    const kept = digests.get(client);
    if (kept?.of === client.secret) return kept.digest;
    const digest = sha256(client.secret);
    digests.set(client, { of: client.secret, digest });
    return digest;
  }

  return {
    list: () => [...known.values()],
    get: (id) => known.get(id),
    authenticate(id, secret) {
      const client = known.get(id);
      // Digests are of one length, as timingSafeEqual demands, and do not tell how much was right.
      return timingSafeEqual(sha256(secret), client ? digestOf(client) : nobody) ? client : undefined;
    },
    add(client) {
      const { id, secret, script: _, ...terms } = client;
      if (!id) throw new MockError('A client has an empty id. Give every client an id and a secret.');
      if (id === '.' || id === '..')
        throw new MockError(`"${id}" is no id of a client: it could not stand in a path. Give another.`);
      if (typeof secret !== 'string')
        throw new MockError(`The client "${id}" has no secret. Give every client an id and a secret.`);
      if (known.has(id)) throw new MockError(`The client "${id}" is given twice. Give each client once.`);
      checkTerms(id, client);
      const settled = settle(id, { secret, ...terms });
      const added: Client = { id, secret, ...ofMock, jitter: 0, skewMs: 0, aheadMs: 0, ...settled };
      known.set(id, added);
      return added;
    },
    change(client, change) {
      checkTerms(client.id, change);
      Object.assign(client, settle(client.id, change));
    },
    remove: (id) => known.delete(id),
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
  const unknownKey = Object.keys(terms).find((name) => !(name in TERMS));
  if (unknownKey === undefined) return;
  throw new MockError(
    `The client "${id}" has "${unknownKey}", which is no term. There are ${Object.keys(TERMS).join(', ')}.`,
  );
}

function settle(id: string, { secret, tokenLifetime, jitter, skew, scopes }: ClientChange): Partial<Client> {
  if (secret === '') throw new MockError(`The client "${id}" has an empty secret. Give it one.`);
  if (jitter !== undefined && !(jitter >= 0 && jitter < 1))
    throw new MockError(`${jitter} is no jitter of the client "${id}". Give a share from 0 up to 1.`);
  const lifetimes = tokenLifetime === undefined ? undefined : [tokenLifetime].flat();
  if (lifetimes?.length === 0)
    throw new MockError(`The list of token lifetimes of the client "${id}" is empty. Give at least one.`);
  return {
    ...(secret !== undefined && { secret }),
    ...(jitter !== undefined && { jitter }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
    ...(skew !== undefined && {
      skewMs: withinCalendar(durationIn(skew, `the skew of the client "${id}"`) * 1000),
    }),
    ...(lifetimes && {
      tokenLifetimesSeconds: lifetimes.map((one) =>
        lifetimeIn(one, `the token lifetime of the client "${id}"`),
      ),
    }),
  };
}

function lifetimeIn(duration: Duration, what: string): number {
  const seconds = durationIn(duration, what);
  if (seconds >= 0) return seconds;
  throw new MockError(`"${duration}" is no value for ${what}. Give a duration of zero or more, such as 15m.`);
}

function durationIn(duration: Duration, what: string): number {
  try {
    return secondsIn(duration);
  } catch (error) {
    throw new MockError(`${what[0]?.toUpperCase()}${what.slice(1)}: ${(error as Error).message}`);
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
