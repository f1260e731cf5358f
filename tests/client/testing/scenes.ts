/**
 * The traffic of clients, made up call by call, for tests of the judge without a mock; and tests of rules as a table, a line to
 * a test: the rule and its verdict, what the client does, its calls, in which circumstances, and what the finding says.
 *
 * A call is its kind and its time in milliseconds: `a` asks for a token, `f` asks in vain, `r` reads, `x` is refused with
 * an expired token, `b` with one that lives. `r20-900/200` is one each 200 ms, until before 900. Details follow:
 * `~40` takes 40 ms, `:2` has token 2 (otherwise the newest), `!429` or `!reset` is how it ends, `?2` is a Retry-After; `@name` comes last.
 */
import { expect, test } from 'vitest';
import { FORM_FIELDS, FORM_TYPE } from '../../traffic/exchange.ts';
import { certificateOf, type JudgedRule } from '../judge.ts';
import type { Call, Life, ScenarioTraffic } from '../traffic.ts';

/** A call, which gets its number from the traffic that it is in. */
type Made = Omit<Call, 'id'>;

/** What else is known of a call that is written `r20@name`; a member that is undefined is left out of it. */
export type Details = Record<string, { [Key in keyof Made]?: Made[Key] | undefined }>;

/** How long a call takes. */
const TOOK_MS = 10;
const READ = {
  ...{ kind: 'data', method: 'GET', path: '/ods_data/', target: 'readData' },
  ...{ status: 200, reason: 'served', standing: 'valid', authorization: 'bearer' },
} as const;
const ASK = {
  ...{ kind: 'token', method: 'POST', path: '/token/', target: 'obtainToken' },
  ...{ status: 200, reason: 'issued', standing: 'valid' },
  contentType: FORM_TYPE,
  fields: FORM_FIELDS,
} as const;
const KINDS = {
  a: ASK,
  f: { ...ASK, status: 503, reason: 'script', standing: undefined },
  r: READ,
  x: { ...READ, status: 403, reason: 'expired', standing: 'expired' },
  b: { ...READ, status: 403, reason: 'script' },
} as const;

/** A call of this kind at this time. */
export function callAt(
  kind: keyof typeof KINDS,
  at: number,
  token: number | undefined,
  more: Details[string] = {},
): Made {
  const [times, none] = [
    { startMs: at, endMs: at + TOOK_MS, atMs: at + 1 },
    { query: [], misplaced: [] },
  ];
  const all = { ...none, ...times, accept: 'application/json', ...KINDS[kind], token, ...more };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as unknown as Made;
}

const CALL = /^([afrxb])(\d+)(?:-(\d+)\/(\d+))?(?:~(\d+))?(?::(\d+))?(?:!(\w+))?(?:\?(\d+))?(?:@([\w-]+))?$/;

const wordsOf = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');

/** The calls in a line. Throws Error for what is not a call. */
export function callsOf(line: string, details: Details = {}): Made[] {
  let newest = 0;
  return wordsOf(line).flatMap((word) => {
    const [, kind, from, until, step = 1, took, token, end, wait, name = ''] = CALL.exec(word) ?? [];
    if (kind === undefined) throw new Error(`"${word}" is not a call.`);
    const times = until === undefined ? 1 : Math.ceil((Number(until) - Number(from)) / Number(step));
    return Array.from({ length: times }, (_, nth) => {
      const at = Number(from) + nth * Number(step);
      if (kind === 'a') newest = Number(token ?? newest + 1);
      return callAt(kind as 'a', at, kind === 'f' ? undefined : Number(token ?? newest), {
        ...(took !== undefined && { endMs: at + Number(took) }),
        ...(end !== undefined &&
          (Number(end) ? { status: Number(end) } : { ended: end as 'reset', status: 200 })),
        ...(kind === 'f' && !Number(end) && { status: 503 }),
        ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
        ...details[name],
      });
    });
  });
}

interface Circumstances extends Partial<Omit<ScenarioTraffic, 'calls' | 'lives'>> {
  /** When tokens were ended before their time. */
  endedAt?: Record<number, number>;
  /** When the client was given the token that it had before its first call, its first. */
  heldMs?: number;
}

/** Tokens live as long as agreed unless the circumstances say otherwise. */
export function trafficOf(
  calls: readonly Made[],
  { endedAt = {}, heldMs, ...more }: Circumstances = {},
): ScenarioTraffic {
  const { agreedSeconds = 900, lifetimesSeconds = [agreedSeconds] } = more;
  const inOrder = [...calls].sort((a, b) => a.startMs - b.startMs).map((one, at) => ({ id: at + 1, ...one }));
  const held = heldMs === undefined ? [] : [callAt('a', heldMs - 1, 1)];
  const lives = [...held, ...inOrder].flatMap(({ kind, status, token: number, atMs: issuedMs }): Life[] => {
    if (kind !== 'token' || status >= 300 || number === undefined) return [];
    const lifetime = lifetimesSeconds[Math.min(number, lifetimesSeconds.length) - 1] ?? 0;
    const endedMs = endedAt[number];
    const life = { number, issuedMs, expiresMs: issuedMs + lifetime * 1000 };
    return [endedMs === undefined ? life : { ...life, endedMs }];
  });
  const durationMs = Math.max(0, ...inOrder.map(({ endMs }) => endMs)) + 400;
  const usual = { name: 'journal', agreedSeconds, lifetimesSeconds, processes: 1, lost: 0, durationMs };
  return { ...usual, ...more, calls: inOrder, lives };
}

const CIRCUMSTANCES: Record<string, (value: string) => Circumstances> = {
  name: (name) => ({ name }),
  agreed: (value) => ({ agreedSeconds: Number(value) }),
  lives: (value) => ({ lifetimesSeconds: value.split(',').map(Number) }),
  processes: (value) => ({ processes: Number(value) }),
  until: (value) => ({ durationMs: Number(value) }),
  long: (value) => ({ longLived: value === 'true' }),
  unagreed: () => ({ isUnagreed: true }),
  exits: (code) => ({ ended: { code: Number(code) } }),
  killed: (signal) => ({ ended: { signal } }),
  /** A token, and when it was ended: `2@6000`. */
  ended: (value) => ({ endedAt: Object.fromEntries([value.split('@').map(Number)]) }),
  held: (ms) => ({ heldMs: Number(ms) }),
  stalls: (value) => ({
    stalls: value.split(',').map((one) => {
      const [startMs = 0, endMs = 0] = one.split('-').map(Number);
      return { startMs, endMs };
    }),
  }),
};

/** The traffic of calls in a line, in circumstances such as `agreed=3 name=expires`. */
export function scene(calls: string | readonly Made[], given = '', details: Details = {}): ScenarioTraffic {
  const each = wordsOf(given).map((word) => {
    const [name = '', value = ''] = word.split('=');
    const read = CIRCUMSTANCES[name];
    if (!read) throw new Error(`"${word}" is not a circumstance.`);
    return read(value);
  });
  return trafficOf(typeof calls === 'string' ? callsOf(calls, details) : calls, Object.assign({}, ...each));
}

export const certificateFor = (...scenarios: readonly ScenarioTraffic[]) =>
  certificateOf(scenarios.map((traffic) => ({ traffic, summary: '', state: 'seen' })));

/** The result of one rule. */
export function judgedBy(rule: string, ...scenarios: readonly ScenarioTraffic[]): JudgedRule {
  const judged = certificateFor(...scenarios).rules.find(({ id }) => id === rule);
  if (!judged) throw new Error(`There is no rule ${rule}.`);
  return judged;
}

/** The cells of each line of a table. */
export const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));

interface Common {
  /** Calls and circumstances of each row, before its own. */
  calls?: string;
  given?: string;
  details?: Details;
  /** What else was seen of the client. */
  besides?: readonly ScenarioTraffic[];
  judge?: typeof judgedBy;
}

/**
 * A test for each row. The first cell has a rule and its verdict, or several. Calls of several scenarios are separated
 * by `;`, and so are their circumstances. In the last cell `#3,4` are the calls of the first finding of the first rule;
 * other text is in its sentence, or in the reason if there is none.
 */
export function testRows(
  table: string,
  { calls = '', given = '', details = {}, besides = [], judge: judgeBy = judgedBy }: Common = {},
): void {
  for (const [judged = '', what, own = '', more = '', says = ''] of rowsOf(table)) {
    test(`${judged}: a client ${what}`, () => {
      const circumstances = more.split(';');
      const scenes = own
        .split(';')
        .map((one, nth) => scene(`${calls} ${one}`, `${given} ${circumstances[nth] ?? ''}`, details));
      const judge = (rule: string) => judgeBy(rule, ...besides, ...scenes);
      const words = wordsOf(judged);
      const rules = words.filter((_, nth) => nth % 2 === 0);
      expect(rules.flatMap((rule) => [rule, judge(rule).verdict])).toEqual(words);
      const { findings, reason } = judge(words[0] ?? '');
      const [, sentence = '', ids] = /^(.*?)(?:#([\d,]+))?$/.exec(says) ?? [];
      expect(findings[0]?.seen ?? reason ?? '').toContain(sentence.trim());
      if (ids !== undefined) expect(findings[0]?.calls.join()).toBe(ids);
    });
  }
}
