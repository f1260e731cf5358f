import { scene, testRows } from '../testing/rows.ts';

const count = (most: number) => Array.from({ length: most }, (_, nth) => nth);

/** So many attempts without a pause, each with a token of its own. */
const row = (attempts: number, from = 420, firstToken = 1): string =>
  count(attempts)
    .map(
      (nth) =>
        `${nth > 0 ? `a${from + nth * 30 - 15}:${firstToken + nth} ` : ''}b${from + nth * 30}:${firstToken + nth}`,
    )
    .join(' ');
const turns = count(8)
  .map((nth) => row(2, 420 + nth * 240, 1 + nth))
  .join(' ');
const each = (pauseMs: number, most: number) =>
  count(most)
    .map((nth) => `b${420 + nth * pauseMs} a${440 + nth * pauseMs}`)
    .join(' ');
const pairs = count(8)
  .map((nth) => row(2, 420 + nth * 500, 1 + 2 * nth))
  .join(' ');
const anew = count(7)
  .map((nth) => `a${905 + nth * 500}:${3 + 2 * nth}`)
  .join(' ');
const waits = [420, 920, 1920, 3920, 7920, 15_920, 31_920, 63_920]
  .map((at) => `b${at} a${at + 15}`)
  .join(' ');
const slowly = count(8)
  .map((nth) => `b${420 + nth * 1030} a${431 + nth * 1030}~1000`)
  .join(' ');

testRows(
  `
  no-loop passed refresh-once passed | renews and retries once at each turn  | ${turns}
  no-loop passed refresh-once passed | gives up after its retry              | ${row(2)} | exits=1
  no-loop passed refresh-once warned | makes three attempts                  | ${row(3)}
  no-loop passed refresh-once warned | makes six attempts                    | ${row(6)}
  no-loop failed refresh-once warned | makes seven attempts                  | ${row(7)}
  no-loop failed | makes forty attempts | ${row(40)} | | 40 attempts in a row were refused, without a pause between them. #4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42
  no-loop failed | renews at each refusal, once a second | ${each(1000, 8)} | | 8 reads in a row were refused, and each time another token
  no-loop passed | does so six times                     | ${each(1000, 6)}
  no-loop passed | does so each two seconds              | ${each(2000, 12)}
  no-loop passed | begins each turn with a new token     | ${pairs} ${anew}
  no-loop failed | reads on with the same token          | b420-900/15
  no-loop passed refresh-once passed | backs off             | ${waits}
  no-loop failed | waits for slow answers only           | ${slowly}
  no-loop not-applicable refresh-once not-applicable | was never refused |
  no-loop not-applicable refresh-once passed | is served at its retry | x420 a435 r450 | ended=1@400`,
  {
    calls: 'a0 r20 r220',
    given: 'name=403-stays',
    besides: [scene('a0 r20-2400/200', 'name=steady')],
  },
);

/** Five readers at once. */
const five = (kind: string, pauseMs: number, from: number, until: number) =>
  count((until - from) / pauseMs)
    .flatMap((nth) => count(5).map((reader) => `${kind}${from + nth * pauseMs + reader}~12`))
    .join(' ');
const calm = scene(`a0 ${five('r', 200, 20, 2400)}`, 'name=steady');
const refusing = (pauseMs: number) => `a0 ${five('b', pauseMs, 420, 4400)}`;

testRows(
  `
  no-loop passed refresh-once passed | with five readers tries as often as ever | ${refusing(200)}
  no-loop passed refresh-once passed | with five readers tries twice as often   | ${refusing(100)}
  no-loop passed refresh-once warned | with five readers tries four times as often | ${refusing(50)}
  no-loop failed refresh-once warned | with five readers tries ten times as often  | ${refusing(20)}`,
  { given: 'name=403-stays', besides: [calm] },
);
testRows(`
  no-loop not-applicable refresh-once not-applicable | with five readers, of unknown pace | ${refusing(20)} | name=403-stays`);
