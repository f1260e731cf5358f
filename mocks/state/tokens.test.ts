import { expect, _baseTest as test } from '@playwright/test';
import { type Client, createClients } from './clients.ts';
import { createRandom } from './random.ts';
import { createTokens, type IssuedToken, type Tokens } from './tokens.ts';

const client = createClients(900).add({ id: 'a', secret: 'x' });
const random = createRandom('a seed');
const issue = (tokens: Tokens, lifetimeSeconds: number) => tokens.issue({ client, lifetimeSeconds });
const statusOf = (tokens: Tokens, token: string) => tokens.find(token).status;

test('a token is valid until its last millisecond, and expired from then on', () => {
  let now = 5_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  expect(statusOf(tokens, token)).toBe('valid');
  now = 64_999;
  expect(statusOf(tokens, token)).toBe('valid');
  now = 65_000;
  expect(statusOf(tokens, token)).toBe('expired');
  now = 9e9;
  expect(statusOf(tokens, token)).toBe('expired');
});

test('a token that was never issued is unknown, also when it is an altered one', () => {
  const tokens = createTokens(() => 0, random);
  const token = issue(tokens, 60);
  expect(statusOf(tokens, `${token}x`)).toBe('unknown');
  expect(statusOf(tokens, token.toUpperCase())).toBe('unknown');
  expect(statusOf(tokens, '__proto__')).toBe('unknown');
});

test('tokens are all different, and fit into a header as they are', () => {
  const tokens = createTokens(() => 0, random);
  const issued = Array.from({ length: 500 }, () => issue(tokens, 60));
  expect(new Set(issued).size).toBe(500);
  for (const token of issued) expect(token).toMatch(/^[\w-]{32}$/);
});

test('every token has the lifetime that it was issued with', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  const [short, long] = [issue(tokens, 1), issue(tokens, 0.5 * 60)];
  now = 1_000;
  expect([statusOf(tokens, short), statusOf(tokens, long)]).toEqual(['expired', 'valid']);
});

test('above the capacity an expired token is let go before a valid one that is older', () => {
  let now = 0;
  const tokens = createTokens(() => now, random, 2);
  const long = issue(tokens, 60);
  const short = issue(tokens, 1);
  now = 1_000;
  const third = issue(tokens, 60);
  expect([long, short, third].map((token) => statusOf(tokens, token))).toEqual(['valid', 'unknown', 'valid']);
});

test('above the capacity the oldest token is let go when none has expired', () => {
  const tokens = createTokens(() => 0, random, 2);
  const issued = [issue(tokens, 60), issue(tokens, 60), issue(tokens, 60)];
  expect(issued.map((token) => statusOf(tokens, token))).toEqual(['unknown', 'valid', 'valid']);
});

for (const [ended, standingThen] of [
  ['expired', 'expired'],
  ['revoked', 'unknown'],
] as const)
  test(`a token that is ended as ${ended} is ${standingThen} at once, and stays so when time goes back`, () => {
    let now = 5_000;
    const tokens = createTokens(() => now, random);
    const [first, second] = [issue(tokens, 60), issue(tokens, 60)];
    expect(tokens.end(found(tokens, first), ended)).toBe(1);
    now = 0;
    expect(tokens.find(first)).toMatchObject({ status: standingThen, issued: { number: 1, ended } });
    expect(tokens.statusOf(found(tokens, first))).toBe(standingThen);
    expect(tokens.find(second)).toMatchObject({ status: 'valid', issued: { number: 2 } });
    expect(found(tokens, second)).not.toHaveProperty('ended');
  });

test('only those are ended that are meant, and only the living are counted', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  const [short, ...long] = [1, 60, 60, 60, 60].map((lifetime) => issue(tokens, lifetime));
  now = 1_000;
  const early = ({ number }: IssuedToken) => number <= 3;
  expect(tokens.end(early, 'expired')).toBe(2);
  expect(tokens.end(early, 'expired')).toBe(0);
  expect(tokens.end(() => true, 'revoked')).toBe(2);
  expect([short ?? '', ...long].map((token) => statusOf(tokens, token))).toEqual(Array(5).fill('unknown'));
});

test('what has expired is not expired on order, and lives again when time goes back', () => {
  let now = 1_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  now = 61_000;
  expect(tokens.end(() => true, 'expired')).toBe(0);
  now = 60_999;
  expect(statusOf(tokens, token)).toBe('valid');
});

test('what has expired is revoked all the same, and lives no more when time goes back', () => {
  let now = 1_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  now = 61_000;
  expect(tokens.end(() => true, 'revoked')).toBe(0);
  expect(statusOf(tokens, token)).toBe('unknown');
  now = 1_000;
  expect(statusOf(tokens, token)).toBe('unknown');
});

test('a token is ended as it is now, not as it was when it was looked at', () => {
  const tokens = createTokens(() => 0, random);
  const token = issue(tokens, 60);
  const seen = found(tokens, token);
  tokens.end(seen, 'revoked');
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(statusOf(tokens, token)).toBe('unknown');
});

test('a token that was let go, or never was, does not come back by being ended', () => {
  const tokens = createTokens(() => 0, random, 1);
  const restore = tokens.save();
  const token = issue(tokens, 60);
  const seen = found(tokens, token);
  issue(tokens, 60);
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(tokens.find(token)).toEqual({ status: 'unknown' });
  restore();
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(tokens.find(token)).toEqual({ status: 'unknown' });
});

test('the tokens of a seed repeat, and every client has its own', () => {
  const [one, other] = [createTokens(() => 0, random), createTokens(() => 9e9, createRandom('a seed'))];
  const values = [issue(one, 60), issue(one, 1)];
  expect([issue(other, 900), issue(other, 5)]).toEqual(values);
  const elsewhere = createTokens(() => 0, createRandom('another seed'));
  expect(values).not.toContain(issue(elsewhere, 60));
  expect(values).not.toContain(other.issue({ client: clientNamed('b'), lifetimeSeconds: 60 }));
});

test('a token has the number of its client, and the times of its client', () => {
  const tokens = createTokens(() => 1_000, random);
  const ahead = clientNamed('ahead', { aheadMs: 500, skewMs: 7 });
  issue(tokens, 60);
  const value = tokens.issue({ client: ahead, lifetimeSeconds: 0.25 });
  expect(found(tokens, value)).toEqual({
    value,
    client: ahead,
    number: 1,
    serial: 2,
    issuedAt: 1_500,
    expiresAt: 1_750,
  });
});

test('a lifetime beyond the calendar ends with it', () => {
  const tokens = createTokens(() => 1_000, random);
  expect(found(tokens, issue(tokens, 1e16)).expiresAt).toBe(Date.parse('9999-12-31T23:59:59.999Z'));
});

for (const [what, terms, expiry] of [
  ['as it is', {}, 60_000],
  ['whose data is 10 s ahead', { skewMs: 10_000 }, 50_000],
  ['whose data is 10 s behind', { skewMs: -10_000 }, 70_000],
] as const)
  test(`of a client ${what} a token expires at ${expiry} ms of the clock`, () => {
    let now = 0;
    const tokens = createTokens(() => now, random);
    const one = clientNamed('one', terms);
    const token = tokens.issue({ client: one, lifetimeSeconds: 60 });
    expect([tokens.nextExpiry(), tokens.nextExpiry(one)]).toEqual([expiry, expiry]);
    now = expiry - 1;
    expect(statusOf(tokens, token)).toBe('valid');
    now = expiry;
    expect(statusOf(tokens, token)).toBe('expired');
    expect(tokens.nextExpiry()).toBeUndefined();
  });

test('when the own time of a client moves on, its tokens expire earlier, and those of no other', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  const [one, other] = [clientNamed('one'), clientNamed('other')];
  const [ofOne, ofOther] = [one, other].map((each) => tokens.issue({ client: each, lifetimeSeconds: 60 }));
  one.aheadMs = 45_000;
  expect([tokens.nextExpiry(one), tokens.nextExpiry(other), tokens.nextExpiry()]).toEqual([
    15_000, 60_000, 15_000,
  ]);
  now = 15_000;
  expect([ofOne, ofOther].map((token) => statusOf(tokens, token ?? ''))).toEqual(['expired', 'valid']);
  expect([tokens.nextExpiry(one), tokens.nextExpiry(other)]).toEqual([undefined, 60_000]);
});

test('the next expiry is that of a live token', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  expect(tokens.nextExpiry()).toBeUndefined();
  const [, second] = [issue(tokens, 1), issue(tokens, 5), issue(tokens, 30), issue(tokens, 9)];
  now = 1_000;
  expect(tokens.nextExpiry()).toBe(5_000);
  tokens.end(found(tokens, second ?? ''), 'expired');
  expect(tokens.nextExpiry()).toBe(9_000);
});

test('a client has its latest hundred tokens, and the count of all', () => {
  const tokens = createTokens(() => 0, random);
  expect([tokens.countOf(client), tokens.newestOf(client), tokens.latestOf(client)]).toEqual([
    0,
    undefined,
    [],
  ]);
  const values = Array.from({ length: 103 }, () => issue(tokens, 60));
  const other = clientNamed('other');
  const last = tokens.issue({ client: other, lifetimeSeconds: 60 });
  expect(tokens.countOf(client)).toBe(103);
  expect(tokens.newestOf(client)).toMatchObject({ value: values[102], number: 103 });
  expect(tokens.latestOf(client).map(({ value }) => value)).toEqual(values.slice(3));
  expect(tokens.latestOf(other).map(({ value, number }) => [value, number])).toEqual([[last, 1]]);
});

test('what was let go is among the latest no more', () => {
  const tokens = createTokens(() => 0, random, 2);
  const values = [issue(tokens, 60), issue(tokens, 60), issue(tokens, 60)];
  expect(tokens.latestOf(client).map(({ value }) => value)).toEqual(values.slice(1));
});

test('who has the id of a client that was removed has other tokens, and none of the old', () => {
  const tokens = createTokens(() => 0, random);
  const [before, after] = [clientNamed('again'), clientNamed('again')];
  const old = tokens.issue({ client: before, lifetimeSeconds: 60 });
  expect([tokens.newestOf(after), tokens.latestOf(after)]).toEqual([undefined, []]);
  const fresh = tokens.issue({ client: after, lifetimeSeconds: 60 });
  expect(fresh).not.toBe(old);
  expect(tokens.latestOf(after)).toMatchObject([{ value: fresh, number: 2 }]);
  expect(tokens.newestOf(after)).toMatchObject({ value: fresh });
});

test('above the capacity those that were ended are let go first, then the oldest of each kind', () => {
  const tokens = createTokens(() => 0, random, 4);
  const values = [60, 1, 60, 1].map((lifetime) => issue(tokens, lifetime));
  tokens.end(found(tokens, values[1] ?? ''), 'expired');
  const known = () => values.filter((value) => statusOf(tokens, value) !== 'unknown');
  const left = [];
  for (let more = 0; more < 4; more++) {
    issue(tokens, 60);
    left.push(known().map((value) => values.indexOf(value)));
  }
  expect(left).toEqual([[0, 2, 3], [2, 3], [3], []]);
});

test('of two that have expired the older is let go', () => {
  let now = 0;
  const tokens = createTokens(() => now, random, 3);
  const [first, second] = [issue(tokens, 9), issue(tokens, 1), issue(tokens, 60)];
  now = 9_000;
  issue(tokens, 60);
  expect([first, second].map((token) => statusOf(tokens, token ?? ''))).toEqual(['unknown', 'expired']);
});

for (const seed of ['one', 'two', 'three'])
  test(`a token is valid only before its expiry, and a saved state is restored, whatever happens: ${seed}`, () => {
    const world = worldOf(seed, 40);
    for (let nth = 0; nth < 100; nth++) {
      world.happen(1);
      const before = world.seen();
      const restore = world.save();
      world.happen(12);
      restore();
      expect(world.seen()).toEqual(before);
      const after = world.happen(12, `${nth}`);
      restore();
      expect(world.happen(12, `${nth}`)).toEqual(after);
      expect(world.faults).toEqual([]);
    }
  });

const found = (tokens: Tokens, token: string): IssuedToken => {
  const { issued } = tokens.find(token);
  if (issued) return issued;
  throw new Error(`${token} is not known.`);
};

const clientNamed = (id: string, terms: Partial<Client> = {}): Client =>
  Object.assign(createClients(900).add({ id, secret: 'x' }), terms);

/** Tokens, two clients and a clock to which things happen by chance; each is held against what it must be. */
function worldOf(seed: string, capacity: number) {
  const { share } = createRandom(seed);
  let draws = 0;
  let now = Date.UTC(2030, 0, 1);
  const tokens = createTokens(() => now, random, capacity);
  const clients = createClients(900);
  const two = ['a', 'b'].map((id) => clients.add({ id, secret: 'x' }));
  let values: string[] = [];

  const seen = () => ({
    found: values.map((value) => tokens.find(value)),
    ofClients: two.map((one) => [tokens.countOf(one), tokens.newestOf(one), tokens.latestOf(one)]),
    next: [undefined, ...two].map((one) => tokens.nextExpiry(one)),
  });

  /** What is otherwise than it must be; the runner takes long for each expectation, and here are many. */
  const faults: string[] = [];
  function check(): void {
    const known = values.flatMap((value) => tokens.find(value).issued ?? []);
    if (known.length > capacity) faults.push(`${known.length} tokens are remembered`);
    const alive = known.filter(({ client: { aheadMs, skewMs }, expiresAt, ended }) => {
      return !ended && now + aheadMs + skewMs < expiresAt;
    });
    const isAlive = new Set(alive.map(({ value }) => value));
    for (const value of values)
      if ((statusOf(tokens, value) === 'valid') !== isAlive.has(value)) faults.push(`${value} at ${now}`);
    const expiries = alive.map(({ expiresAt, client: { aheadMs, skewMs } }) => expiresAt - aheadMs - skewMs);
    const next = expiries.length > 0 ? Math.min(...expiries) : undefined;
    if (tokens.nextExpiry() !== next) faults.push(`${tokens.nextExpiry()} and not ${next}`);
  }

  function happen(times: number, purpose?: string) {
    let numbered = 0;
    const draw = () => share(purpose === undefined ? `${++draws}` : `${purpose}, ${++numbered}`);
    for (let nth = 0; nth < times; nth++) {
      const one = two[Math.floor(2 * draw())] as Client;
      const kind = draw();
      if (kind < 0.5)
        values.push(tokens.issue({ client: one, lifetimeSeconds: Math.floor(900 * draw()) / 8 }));
      else if (kind < 0.7) now += Math.floor(100_000 * (draw() - 0.3));
      else if (kind < 0.8) one.aheadMs += Math.floor(20_000 * (draw() - 0.3));
      else if (kind < 0.85) one.skewMs = Math.floor(20_000 * (draw() - 0.5));
      else if (kind < 0.95) {
        const some = tokens.latestOf(one);
        const ended = draw() < 0.5 ? 'expired' : 'revoked';
        for (const issued of some.slice(0, 1 + Math.floor(2 * draw()))) tokens.end(issued, ended);
      } else tokens.end(({ number }) => number % 7 === 0, 'expired');
      check();
    }
    return seen();
  }

  function save() {
    const saved = { now, values: [...values], tokens: tokens.save(), clients: clients.save() };
    return () => {
      now = saved.now;
      values = [...saved.values];
      saved.tokens();
      saved.clients();
    };
  }
  return { happen, seen, save, faults };
}
