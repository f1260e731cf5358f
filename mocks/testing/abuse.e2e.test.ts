/**
 * Requests that no well-meaning client sends. Each is made from the seed and its own number, so that a failure can be
 * repeated by itself: it names the seed and the numbers as `MRS_ABUSE` takes them. What depends on requests before it,
 * such as a client that was removed, takes a wider range: from the first. `MRS_ABUSE=SEED:0-99999` sends more of them.
 */
import { expect, _baseTest as test } from '@playwright/test';
import { broken } from './broken-requests.ts';
import { createChance } from './chance.ts';
import { createJudge, type Judge } from './documented.ts';
import { goodRequests, reset, service, wire } from './good-requests.ts';
import { odd } from './odd-requests.ts';
import { type Exchange, startVictim } from './victim.ts';

interface Range {
  seed: number;
  first: number;
  last: number;
}

const REQUESTS = 8_000;
/** Connections at a time. */
const LANES = 4;
/** Requests on one connection, at the most; and how many there are to a broken one, which ends it. */
const PIPELINE = 32;
const TO_A_BROKEN_ONE = 10;
/** What Node.js answers to bytes that it cannot read, which the mock is never shown. */
const OF_NODE = [400, 408, 413, 417, 431];

const range = rangeOf(process.env.MRS_ABUSE ?? '20260101');
test(`abuse ${named(range)} gets only documented answers, and the mock goes on`, async () => {
  await using victim = await startVictim();
  const judge = createJudge();
  const faults: string[] = [];
  const seen = new Set<string>();
  let next = range.first;

  async function attack(): Promise<void> {
    while (next <= range.last && faults.length === 0) {
      const first = next;
      const volley = volleyFrom(first, range);
      next += volley.length;
      const what = named({ ...range, first, last: next - 1 });
      const exchange = await victim.exchange(volley);
      faults.push(
        ...schemaProblem(exchange, volley.length, judge).map((fault) => `MRS_ABUSE=${what}: ${fault}`),
      );
      for (const { target, status } of exchange.answered) seen.add(`${target} ${status}`);
    }
  }
  await Promise.all(Array.from({ length: LANES }, attack));
  expect(faults).toEqual([]);
  expect(victim.faults, `MRS_ABUSE=${named(range)}`).toEqual([]);
  const [, , after] = (await victim.exchange([reset, ...service].map(wire))).answered;
  expect(after).toMatchObject({ target: '/token/', status: 200 });
  // Otherwise the abuse would not reach far enough to prove anything.
  if (range.last - range.first >= REQUESTS - 1) expect([...seen]).toEqual(expect.arrayContaining(REACHED));
});

const REACHED = [
  ...[200, 400, 401, 406, 415].map((status) => `/token/ ${status}`),
  ...[200, 401, 403, 406].map((status) => `/ods_data/ ${status}`),
  ...[200, 406].map((status) => `/health/ ${status}`),
  ...[200, 400, 401].map((status) => `/__mock/clock ${status}`),
];

/** `SEED`, or `SEED:FIRST-LAST` for some of its requests. */
function rangeOf(given: string): Range {
  const [seed = 0, first = 0, last] = (given.match(/\d+/g) ?? []).map(Number);
  const isPart = given.includes(':');
  return { seed, first, last: last ?? (isPart ? first : REQUESTS - 1) };
}

function named({ seed, first, last }: Range): string {
  return `${seed}:${first}-${last}`;
}

/** The requests of one connection, from this number on: odd ones, and a broken one that ends it. */
function volleyFrom(number: number, { seed, last }: Range): string[] {
  const volley: string[] = [];
  for (let at = number; at <= last; at++) {
    const random = createChance(seed, at);
    const good = random.pick(goodRequests);
    if (random.oneIn(TO_A_BROKEN_ONE))
      return [...volley, broken(random.oneIn(2) ? odd(good, random) : good, random)];
    volley.push(wire(odd(good, random)));
    if (volley.length === PIPELINE) break;
  }
  return volley;
}

function schemaProblem({ answered, refused, lost }: Exchange, sent: number, judge: Judge): string[] {
  const faults = answered.flatMap((answer) => {
    const fault = judge(answer);
    return fault ? [`${fault}: ${JSON.stringify(answer)}`] : [];
  });
  for (const { status } of refused)
    if (!OF_NODE.includes(status)) faults.push(`Node.js answers with ${status}`);
  if (lost > 0) faults.push(`${lost} of ${sent} requests have no answer`);
  return faults;
}
