/**
 * Tests of rules as a table, a line to a test: the rule and its verdict, what the client does, its calls, in which
 * circumstances, and what the finding says.
 *
 * A call is its kind and its time in milliseconds: `a` asks for a token, `f` asks in vain, `r` reads, `x` is refused with
 * an expired token, `b` with one that lives. `r20-900/200` is one each 200 ms, until before 900. Details follow:
 * `~40` takes 40 ms, `:2` has token 2 (otherwise the newest), `!429` or `!reset` is how it ends, `?2` is a Retry-After; `@name` comes last.
 */
import { expect, _baseTest as test } from '@playwright/test';
import type { ScenarioTraffic } from '../traffic.ts';
import { asks, every, fails, forbidden, judgedBy, type Made, reads, refused, trafficOf } from './traffic.ts';

const CALL = /^([afrxb])(\d+)(?:-(\d+)\/(\d+))?(?:~(\d+))?(?::(\d+))?(?:!(\w+))?(?:\?(\d+))?(?:@([\w-]+))?$/;
const MAKE = { r: reads, x: refused, b: forbidden };

const wordsOf = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');

/** What else is known of a call that is written `r20@name`; a member that is undefined is left out of it. */
export type Details = Record<string, { [Key in keyof Made]?: Made[Key] | undefined }>;

/** The calls in a line. Throws Error for what is no call. */
export function callsOf(line: string, details: Details = {}): Made[] {
  let newest = 0;
  return wordsOf(line).flatMap((word) => {
    const [, kind, from, until, step, took, token, end, wait, name] = CALL.exec(word) ?? [];
    if (kind === undefined) throw new Error(`"${word}" is no call.`);
    return every(Number(step ?? 1), Number(from), Number(until ?? Number(from) + 1), (at) => {
      const status = Number(end);
      const more: Partial<Made> = {
        ...(took !== undefined && { endMs: at + Number(took) }),
        ...(end !== undefined && (status ? { status } : { ended: end as 'reset', status: 200 })),
        ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
      };
      if (kind === 'a') newest = Number(token ?? newest + 1);
      const made =
        kind === 'f'
          ? fails(at, status || 503, more)
          : kind === 'a'
            ? asks(at, newest, more)
            : MAKE[kind as 'r'](at, Number(token ?? newest), more);
      const known = Object.entries({ ...made, ...(name !== undefined && details[name]) });
      return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as Made;
    });
  });
}

const pair = (text: string) => text.split('-').map(Number);
const CIRCUMSTANCES: Record<string, (value: string) => Parameters<typeof trafficOf>[1]> = {
  name: (name) => ({ name }),
  agreed: (value) => ({ agreedSeconds: Number(value) }),
  lives: (value) => ({ lifetimesSeconds: value.split(',').map(Number) }),
  processes: (value) => ({ processes: Number(value) }),
  until: (value) => ({ durationMs: Number(value) }),
  long: (value) => ({ longLived: value === 'true' }),
  exits: (code) => ({ ended: { code: Number(code) } }),
  killed: (signal) => ({ ended: { signal } }) as Partial<ScenarioTraffic>,
  /** A token, and when it was ended: `2@6000`. */
  ended: (value) => ({ endedAt: Object.fromEntries([value.split('@').map(Number)]) }),
  stalls: (value) => ({
    stalls: value.split(',').map((one) => {
      const [startMs = 0, endMs = 0] = pair(one);
      return { startMs, endMs };
    }),
  }),
};

/** The traffic of calls in a line, in circumstances such as `agreed=3 name=expires`. */
export function scene(calls: string | readonly Made[], given = '', details: Details = {}): ScenarioTraffic {
  const each = wordsOf(given).map((word) => {
    const [name = '', value = ''] = word.split('=');
    const read = CIRCUMSTANCES[name];
    if (!read) throw new Error(`"${word}" is no circumstance.`);
    return read(value);
  });
  return trafficOf(typeof calls === 'string' ? callsOf(calls, details) : calls, Object.assign({}, ...each));
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
