import { testRows } from './testing/rows.ts';

const callers = (count: number) => Array.from({ length: count }, (_, nth) => nth);

/** Reads of eight callers that are under way together, with one token or with one each. */
const shared = (at: number, token: number, kind = 'r') =>
  callers(8)
    .map((nth) => `${kind}${at + nth}~40:${token}`)
    .join(' ');
const own = (at: number, first: number, kind = 'r') =>
  callers(8)
    .map((nth) => `${kind}${at + nth}~40:${first + nth}`)
    .join(' ');
/** Token requests that are under way together. */
const crowd = (at: number, count: number, token: number) =>
  callers(count)
    .map((nth) => `a${at + nth}~100:${token + nth}`)
    .join(' ');

const start = `a0 ${shared(100, 1)} ${shared(600, 1)}`;
const clock = `a0 ${[100, 3000, 6000, 9000].map((at) => shared(at, 1)).join(' ')} ${crowd(10_000, 8, 2)}`;
const begun = `${crowd(0, 8, 1)} ${[400, 900, 1400].map((at) => own(at, 1)).join(' ')}`;
const after = `${crowd(2000, 8, 9)} ${[2600, 3100, 3600].map((at) => own(at, 9)).join(' ')}`;
const apart = [400, 900, 1400, 1900]
  .flatMap((at) => callers(4).map((nth) => `r${at + 20 * nth}:${nth + 1}`))
  .join(' ');

/** Callers that are refused and each ask for a token, so many of them and so often. */
const racing = (count: number, times: number) =>
  callers(times)
    .map((nth) => [1100 + nth * 2000, 1 + nth * count] as const)
    .map(
      ([at, token]) =>
        `${shared(at, token, 'b')} ${crowd(at + 100, count, token + 1)} ${shared(at + 600, token + count)}`,
    )
    .join(' ');

testRows(`
  token-reuse failed | is eight callers that each replace a shared token | ${start} ${shared(1100, 1, 'b')} ${crowd(1200, 8, 2)} ${own(1400, 2)} ${[2000, 2500, 3000].map((at) => shared(at, 9)).join(' ')} | | 8 tokens were asked for at once, where 1 would do
  token-reuse failed | is eight that each renew it by a clock    | ${clock} ${[10_200, 13_000, 16_000].map((at) => shared(at, 9)).join(' ')} | agreed=12 name=expires
  token-reuse passed | is two callers that race                  | ${start} ${racing(2, 5)}
  token-reuse passed | is three callers that race once           | ${start} ${racing(3, 1)}
  token-reuse failed | is three callers that race twice          | ${start} ${racing(3, 2)}
  token-reuse failed | is four callers that race once            | ${start} ${racing(4, 1)}
  token-reuse passed | is eight callers with a token each, refused | ${begun} ${own(1900, 1, 'x')} ${after} | agreed=3 name=expires
  token-reuse passed | is eight callers with a token each, by a clock | ${begun} ${after} | agreed=3 name=expires
  token-reuse passed | is four callers with a token each, apart  | ${crowd(0, 4, 1)} ${apart}
  token-reuse passed | is eight callers that each ask at the start | ${crowd(0, 8, 1)} r400-2000/200 ${shared(2100, 8)}
  token-reuse passed | is eight processes                        | ${start} ${shared(1100, 1, 'b')} ${crowd(1200, 8, 2)} | processes=8`);
