import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Client, createClients } from './clients.ts';
import { createTokens, type IssuedToken, type TokenEnd, type Tokens } from './tokens.ts';

const issue = (tokens: Tokens, client: Client, lifetimeSeconds = 60) =>
  tokens.issue({ client, lifetimeSeconds });
const statusOf = (tokens: Tokens, token: string) => tokens.find(token).status;
const found = (tokens: Tokens, token: string) => tokens.find(token).issued as IssuedToken;
const clientOf = (id: string) => createClients(900).add({ id, secret: 'x' });

test('tokens of one seed are the same in each run, those of another seed are unknown, and no two begin alike', () => {
  const client = clientOf('a');
  const [one, again, other] = ['a seed', 'a seed', 'another'].map((seed) => createTokens(() => 0, seed)) as [
    ...[Tokens, Tokens, Tokens],
  ];
  const issued = Array.from({ length: 300 }, () => issue(one, client));
  expect(new Set(issued.map((token) => token.slice(0, 8))).size).toBe(300);
  for (const token of issued) expect(token).toMatch(/^[\w-]{32}$/);
  expect(issued.map(() => issue(again, client))).toEqual(issued);
  issue(other, client);
  for (const text of [...issued, '', '__proto__', ` ${issued[0]}`])
    expect(statusOf(other, text)).toBe('unknown');
});

test('a client with the id of one that was removed has none of its tokens', () => {
  const tokens = createTokens(() => 0, 'a seed');
  const [before, after] = [clientOf('again'), clientOf('again')];
  const old = issue(tokens, before);
  tokens.endAll({ client: before }, 'revoked');
  expect([tokens.newestOf(after), tokens.listOf(after)]).toEqual([undefined, []]);
  const fresh = issue(tokens, after);
  expect(tokens.listOf(after)).toEqual([found(tokens, fresh)]);
  expect(found(tokens, fresh).number).toBe(2);
  expect([statusOf(tokens, old), statusOf(tokens, fresh)]).toEqual(['unknown', 'valid']);
});

/** What happens to the tokens of two clients; `who` and `which` select by the rest of a division. */
const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('issue' as const), who: fc.nat(1), seconds: fc.nat(900) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('move' as const), ms: fc.integer({ min: -1e5, max: 4e5 }) }),
  },
  fc.record({ do: fc.constant('end' as const), which: fc.nat(), as: fc.constantFrom('expired', 'revoked') }),
  fc.record({
    do: fc.constant('endAll' as const),
    who: fc.nat(2),
    except: fc.option(fc.nat()),
    as: fc.constantFrom('expired', 'revoked'),
  }),
  fc.constant({ do: 'save' as const }),
  fc.constant({ do: 'restore' as const }),
);

interface Modelled {
  value: string;
  of: number;
  issuedAt: number;
  expiresAt: number;
  ended?: TokenEnd;
}

test('whatever happens, tokens are as a list of all of them says, and a saved state is restored', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let now = Date.UTC(2030, 0, 1);
      let all: Modelled[] = [];
      const made = createClients(900);
      const two = ['a', 'b'].map((id) => made.add({ id, secret: 'x' })) as [Client, Client];
      const tokens = createTokens(() => now, 'a seed');
      const isValid = ({ expiresAt, ended }: Modelled) => !ended && now < expiresAt;
      const end = (chosen: Modelled[], as: TokenEnd) => {
        const valid = chosen.filter(isValid);
        for (const one of as === 'revoked' ? chosen : valid) one.ended = as;
        return valid.length;
      };
      const undoes = [];
      const save = () => {
        const saved = { now, all: structuredClone(all) };
        const [tokensBefore, clientsBefore] = [tokens.save(), made.save()];
        return () => {
          ({ now, all } = structuredClone(saved));
          tokensBefore();
          clientsBefore();
        };
      };
      undoes.push(save());
      for (const one of events) {
        if (one.do === 'issue') {
          const value = tokens.issue({ client: two[one.who] as Client, lifetimeSeconds: one.seconds });
          all.push({ value, of: one.who, issuedAt: now, expiresAt: now + one.seconds * 1000 });
        } else if (one.do === 'move') now += one.ms;
        else if (one.do === 'end' && all.length > 0) {
          const chosen = all[one.which % all.length] as Modelled;
          expect(tokens.end(found(tokens, chosen.value), one.as)).toBe(end([chosen], one.as));
        } else if (one.do === 'endAll') {
          const left = one.except === null ? undefined : all[one.except % Math.max(1, all.length)]?.value;
          const except = left === undefined ? undefined : found(tokens, left);
          const chosen = all.filter(({ of, value }) => (one.who === 2 || of === one.who) && value !== left);
          const whose = { ...(one.who < 2 && { client: two[one.who] as Client }), except };
          expect(tokens.endAll(whose, one.as)).toBe(end(chosen, one.as));
        } else if (one.do === 'save') undoes.push(save());
        else if (one.do === 'restore') undoes.at(-1)?.();
        const expected = all.map((each) =>
          each.ended === 'revoked' ? 'unknown' : isValid(each) ? 'valid' : 'expired',
        );
        expect(all.map(({ value }) => statusOf(tokens, value))).toEqual(expected);
        expect(all.map(({ value }) => found(tokens, value).ended)).toEqual(all.map(({ ended }) => ended));
        const expiries = all.filter(isValid).map(({ expiresAt }) => expiresAt);
        expect(tokens.nextExpiry()).toBe(expiries.length === 0 ? undefined : Math.min(...expiries));
        for (const [of, each] of two.entries()) {
          const values = all.filter((token) => token.of === of).map(({ value }) => value);
          expect(tokens.listOf(each)).toEqual(values.map((value) => tokens.find(value).issued));
          expect(tokens.listOf(each, 2)).toEqual(tokens.listOf(each).slice(-2));
          expect(tokens.countOf(each)).toBe(values.length);
        }
      }
    }),
    { numRuns: 40, seed: 7 },
  );
});
