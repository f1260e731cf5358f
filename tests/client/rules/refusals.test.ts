import { expect, test } from 'vitest';
import { certificateFor, judgedBy, scene, testRows } from '../testing/scenes.ts';

/** A token, and a read each 200 ms for as long as it lives. */
const start = { calls: 'a0 r20-3000/200', given: 'agreed=3 name=expires' };
const sceneAfter = (calls: string, given = '') => scene(`${start.calls} ${calls}`, `${start.given} ${given}`);

test('a client that renews on the 403 and repeats the call keeps all rules of the refused token', () => {
  const reactive = sceneAfter('x3020 a3031 r3060-3800/200');
  for (const rule of ['renewal', 'retry', 'dead-token'])
    expect(judgedBy(rule, reactive).verdict, rule).toBe('passed');
  expect(certificateFor(reactive).strategy).toBe('reactive');
});

testRows(
  `
  renewal failed         | sends the dead token twice more       | x3020 x3031 x3042 a3055 r3070-3800/200 | | sent 2 more times after its 403 before a new one was asked for #17,18,19,20
  renewal could-not-run  | sends it once more, as a read that waited may | x3020 x3031 a3045 r3060-3800/200 | | they may have waited for a connection
  renewal failed         | repeats a call thirty times, and renews | x3020-3620/20 a3645 | | #17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,47
  renewal passed         | has reads on their way at the 403     | x3020-3025/1~20 x3065-3095/5 a3110 r3130-4000/200
  renewal failed         | has reads long after it               | x3020-3025/1~20 x3300-3500/20 a3600 r3650
  renewal failed         | is silent for 3 s                     | x3020 | until=6031 | In the 3.0 s after the 403 no new token was asked for.
  renewal could-not-run  | is silent for less                    | x3020 | until=6029
  renewal could-not-run  | is silent while the examiner is held up | x3020 | until=7030 stalls=3100-6000
  renewal could-not-run  | exits with 0                          | x3020 | exits=0
  renewal could-not-run  | is killed                             | x3020 | killed=SIGKILL until=9000
  renewal passed         | tries the dead token after a request for a new one failed | x3020 f3031 x3520 f4030 x4540 a5030 r5050
  renewal failed         | tries the dead token before it asks   | x3020 x3320 x3520 f4030 x4540 a5030 r5050
  renewal failed         | asks in vain, and reads for ten seconds | x3020 f3031 x4041-14000/1000 | | After a token request that failed, none followed: token 1 was refused 10 more times. #18,19,20,21,22,23,24,25,26,27,28
  renewal passed         | asks in vain, and reads for nine      | x3020 f3031 x4041-13000/1000
  renewal passed         | asks in vain, and reads from 5 s on   | x3020 f3031 x5000-14000/1000
  renewal passed         | asks in vain, and reads fast          | x3020 f3031 x3100-13000/100
  renewal passed         | asks in vain, is to wait, and reads   | x3020 f3031?5 x4041-14000/1000
  retry failed           | is silent with its new token for 3 s  | x3020 a3031 | until=6042 | In the 3.0 s after
  retry not-applicable   | is silent with it for less            | x3020 a3031 | until=6040
  retry not-applicable   | is silent with it while the examiner is held up | x3020 a3031 | until=7041 stalls=3100-6000
  retry not-applicable   | is stopped with its new token         | x3020 a3031 | killed=SIGTERM
  retry not-applicable renewal passed dead-token passed | has five readers that share a renewal: which read repeats which is open | x3020-3025/1~20 x3050-3066/5:1 a3052~58 r3120-3900/200
  dead-token passed      | reads before it knows of the new token | x3020 a3031~169 x3100~105:1 x3203:1 r3300
  dead-token failed      | reads long after the new token came   | x3020 a3031~169 x3100~105:1 x3460-3520/20:1 r3600
  dead-token passed      | is two processes, each of which finds out | x3020 a3031 x3700:1 a3720 r3740 | processes=2
  dead-token could-not-run | is one process, and finds out twice | x3020 a3031 x3700:1 a3720 r3740
  renewal failed         | has five readers, and late reads      | x3020-3025/1~20 x3800-3900/10 a3950 r3990
  renewal passed         | has them while the examiner is held up | x3020-3025/1~20 x3800-3900/10 a3950 r3990 | stalls=3100-3700
  dead-token failed      | has five readers, and reads after the new token | x3020-3025/1~20 a3060 r3080 x3800-3900/10:1 r3990
  dead-token passed      | has them after it while the examiner is held up | x3020-3025/1~20 a3060 r3080 x3800-3900/10:1 r3990 | stalls=3100-3700`,
  start,
);

const count = (most: number) => Array.from({ length: most }, (_, nth) => nth);

// A client that reads three times in a row, one connection for all.
const turn = (at: number, kind = 'r') => [0, 11, 32].map((ms) => `${kind}${at + ms}`).join(' ');
testRows(
  `
  renewal passed dead-token passed | queues three reads, and its token request with them | ${turn(3020, 'x')} a3070 ${turn(3090)} ${turn(3690)}
  renewal passed dead-token passed | queues three reads next to its token request | ${turn(3020, 'x')} a3031~9 ${turn(3090)} ${turn(3690)}
  renewal passed dead-token passed | queues one on a machine that holds it up for a second | x3020 x3031 x4060 a4080 ${turn(4100)}
  renewal passed dead-token passed | queues one on a machine that holds it up next to the new token | x3020 a3031 r3042 x3053:1 r3064 x4720:1 r4731
  renewal passed    | asks in vain at the end                 | ${turn(3020, 'x')} f3070
  renewal could-not-run dead-token passed | sends a fourth                   | ${turn(3020, 'x')} x3063 a3090 r3110
  renewal failed dead-token passed | sends seven                             | x3020-3100/12 a3130 r3150
  renewal passed dead-token passed | queues two next to a read with the new token | x3020 a3031 r3042 x3053:1 r3064 x3075:1 r3086
  renewal passed dead-token passed | queues three on a machine that holds it up for 90 ms | x3020 x3031 x3131 a3150 r3170 r3181 r3192`,
  {
    calls: `a0 ${[20, 620, 1220, 1820, 2420].map((at) => turn(at)).join(' ')}`,
    given: 'agreed=3 name=expires until=5000',
  },
);

/** Thirty reads in a queue, over this number of connections. */
const queue = (at: number, kind = 'r', detail = '', connections = 1) =>
  Array.from({ length: 30 }, (_, nth) => `${kind}${at + 12 * Math.floor(nth / connections)}${detail}`).join(
    ' ',
  );
const queues = (connections: number) =>
  `a0 ${[20, 820, 1620, 2420].map((at) => queue(at, 'r', '', connections)).join(' ')}`;
/** Each is made again with the new token before the next of the queue. */
const inTurn = Array.from({ length: 29 }, (_, nth) => `x${3050 + 24 * nth}:1 r${3062 + 24 * nth}`).join(' ');

testRows(
  `
  renewal passed dead-token passed retry passed | asks for a token behind thirty reads | ${queues(1)} ${queue(3020, 'x')} a3400 ${queue(3420)}
  renewal passed dead-token passed retry passed | asks for a token next to them | ${queues(1)} ${queue(3020, 'x', ':1')} a3034~9 ${queue(3420, 'r', ':2')}
  renewal passed dead-token passed retry passed | repeats each in its turn     | ${queues(1)} x3020 a3031 r3040 ${inTurn}
  renewal passed dead-token passed | has two connections for thirty reads    | ${queues(2)} ${queue(3020, 'x', ':1', 2)} a3040~9 ${queue(3420, 'r', ':2', 2)}
  renewal passed dead-token passed | repeats each, and its machine is held up for 700 ms | ${queues(1)} x3020 a3031 r3040 ${inTurn.replaceAll(/([xr])(3[2-9]\d\d)/g, (_, kind, at) => `${kind}${Number(at) + 700}`)}
  renewal passed dead-token passed | repeats each, and a row that was whole is seen once | a0 ${queue(20)} ${queue(820).split(' ').slice(0, 4).join(' ')} x3020 a3031 r3040 ${inTurn}
  renewal passed                   | has thirty reads refused, and is seen no longer | a0 r20 ${queue(3020, 'x')} a3400
  renewal failed                   | sends the dead token with sixty more    | ${queues(1)} ${queue(3020, 'x')} ${queue(3720, 'x')} ${queue(4420, 'x')} a4800 ${queue(4820)}
  renewal failed                   | goes on with it without a pause, and renews never | a0 r20-3000/12 x3020-7000/12
  renewal failed                   | reads fast, and sends it ten times      | a0 r20-3000/40 x3020-3420/40 a3440 r3460`,
  { given: 'agreed=3 name=expires until=8000' },
);

/** A client that begins a read each 150 ms, whatever comes back, over one connection: reads queue while a token is on its way. */
const late = (dead: number, from: number) =>
  [
    ...count(dead).map((nth) => `x${from + nth * 12}:1`),
    ...count(dead + 1).map((nth) => `r${from + (dead + nth) * 12}`),
  ].join(' ');
const byTimer = { calls: 'a0 r20-3000/150', given: 'agreed=3 name=expires until=17000' };
const steadyBy = (pauseMs: number) => scene(`a0 r20-12000/${pauseMs}`, 'name=steady');
const renewals = (dead: number) =>
  [3020, 6170, 9320, 12470]
    .map(
      (at, nth) =>
        `x${at} a${at + 11} r${at + 24}${nth < dead ? ` x${at + 36}:${nth + 1} r${at + 48}` : ''} r${at + 150}-${at + 3000}/150`,
    )
    .join(' ');
testRows(
  `
  dead-token passed renewal passed | queued six reads while a token took a second | x3020 a3032~1000 ${late(6, 4033)}
  dead-token passed renewal passed | queued four on a connection that a read and the token request held | x3020~100 a3121~600 ${late(4, 3722)}
  dead-token passed renewal passed | queued as many while its token requests failed | x3020 f3031 f3531 a4042 ${late(6, 4053)}
  dead-token failed renewal passed | sends twenty after a second         | x3020 a3032~1000 x4033-4273/12:1 r4400-6000/150
  dead-token failed renewal passed | sends six after a quick answer      | x3020 a3032 ${late(6, 4033)}`,
  { ...byTimer, besides: [scene(`a0 r20-3000/150 ${renewals(0)}`, 'agreed=3 name=expires-again')] },
);
testRows(
  `
  dead-token could-not-run renewal passed | queued six reads the only time that it was refused | x3020 a3032~1000 ${late(6, 4033)}
  renewal could-not-run | has some refused next to stalls of the examiner, the only time | x3020-3400/100 a3410 r3430 | stalls=3030-3500 | The examiner got no processor time for 0.3 s
  dead-token passed renewal passed | sends one read after three of four renewals | ${renewals(3)}
  dead-token failed renewal passed | sends one after each of four        | ${renewals(4)}
  renewal passed                   | sends one more before one of four renewals | ${renewals(0).replace('a3031', 'x3031 a3042')}`,
  { ...byTimer, besides: [steadyBy(150)] },
);

testRows(
  `
  renewal could-not-run | whose queue grows has many reads refused before its token request | a0 r20-9000/100~100 x9020-11000/100~100 | agreed=9 until=13000`,
  { besides: [steadyBy(80)] },
);

test('a client that asks for something else first has failed, unless it comes back to it at once', () => {
  const traffic = (calls: string) => {
    const { calls: all, ...more } = sceneAfter(`x3020 a3031 r3060 ${calls} r3270-4200/200`);
    const page = (ms: number) => (ms === 820 || ms === 3060 || ms % 200 === 70 ? { target: 'page 2' } : {});
    return { ...more, calls: all.map((one) => ({ ...one, ...page(one.startMs) })) };
  };
  expect(judgedBy('retry', traffic(''))).toMatchObject({
    verdict: 'failed',
    findings: [{ calls: [17, 19], seen: expect.stringContaining('asks for something else') }],
  });
  expect(judgedBy('retry', traffic('r3260')).verdict).not.toBe('failed');
});

test('a client whose query changes with its token does not show what it repeats', () => {
  const { calls, ...more } = sceneAfter('x3020 a3031 r3060-4200/200');
  const signed = calls.map((one) => ({ ...one, target: `/ods_data/?sig=${one.token}` }));
  expect(judgedBy('retry', { ...more, calls: signed }).verdict).toBe('not-applicable');
});

testRows(`
  renewal warned        | whose token ended early may yet renew by its clock | a0 r20-2000/200 x2020-6000/200 | agreed=6 lives=2
  renewal failed        | whose token ended early renews by no clock | a0 r20-2000/200 x2020-7000/200 | agreed=6 lives=2
  renewal could-not-run | saw no token end                           | a0 r20-2000/200
  dead-token could-not-run | reads, and crosses a quick answer       | a0 r20-3000/200 x3020 a3031 x3042:1 r3300 | agreed=3 name=expires
  renewal warned        | renews by its clock, and sends a refused token until then | a0 r20-2000/200 x2020-4800/200 a4820 r4840-6000/200 | agreed=6 ended=1@2000 | the client seems to renew only by its clock
  renewal warned        | renews by its clock, and meets shorter lives | a0 r20-2000/200 x2020-4800/200 a4820 r4840-6800/200 x6820-9600/200 a9620 r9640-10400/200 | agreed=6 lives=2
  renewal warned        | does so in a recording without what was agreed | a0 r20-2000/200 x2020-4800/200 a4950 r4970-6000/200 | agreed=2 unagreed=1
  renewal passed        | renews by its clock, and backs off after the 403 | a0 r20-2000/200 x2020 x2440 x3260 a4860 r4880-6000/200 | agreed=6 ended=1@2000
  renewal failed        | is refused three times, and asks at once, in such a recording | a0 r20-2000/200 x2020-2500/200 a2435 r2455-4000/200 | agreed=2 unagreed=1
  renewal failed        | renews by its clock, and goes on with a dead token after it | a0 r20-4800/200 a4820 r4840-6000/200 x6020-12000/200 | agreed=6 name=ended-early ended=2@6000`);

test('a client that renews by its clock, whose token is ended before, breaks no clause if it reads on until then', () => {
  const calls = 'a0 r20-4800/200 a4820 r4840-6000/200 x6020-9400/200 a9620 r9640-10400/200';
  const traffic = scene(calls, 'agreed=6 name=ended-early ended=2@6000');
  expect(certificateFor(traffic).strategy).toBe('proactive');
  expect(judgedBy('renewal', traffic).verdict).toBe('warned');
  for (const rule of ['retry', 'dead-token']) expect(judgedBy(rule, traffic).findings, rule).toEqual([]);
});

/** Reads each `pauseMs` until a token of two seconds is refused, renews, and reads after `waitMs`, four times. */
const turns = (pauseMs: number, waitMs: number, shorterMs = 0): string =>
  [0, 1, 2, 3]
    .flatMap((nth) => {
      const at = nth * 5000 + 20;
      const every = Array.from(
        { length: 2000 / pauseMs },
        (_, index) => at + index * pauseMs - (index % 2) * shorterMs,
      );
      const reads = every.map((ms) => `r${ms}`);
      return [
        ...(nth === 0 ? ['a0'] : []),
        ...reads,
        `x${at + 2200}`,
        `a${at + 2211}`,
        `r${at + 2222 + waitMs}`,
      ];
    })
    .join(' ');
const stays = 'a0 b20 a231 b442';
const soon = 'a0 x2200 a2211 r2332';
const AGAIN = 'agreed=2 name=expires-again';

testRows(`
  retry failed         | waits for its turn                       | ${turns(200, 190)} | ${AGAIN} | which is the pause between any two reads
  retry passed         | waits as long, and leaves a second refusal | ${turns(200, 190)} ; ${stays} b852 a1063 b1274 | ${AGAIN} ; name=403-stays
  retry failed         | waits as long, and renews again          | ${turns(200, 190)} ; ${stays} a652 b863 a1074 | ${AGAIN} ; name=403-stays
  retry failed         | waits as long, and then never renews     | ${turns(200, 190)} ; ${stays} b852 b1274 | ${AGAIN} ; name=403-stays
  retry failed         | waits for its turn, with one pause cut short | ${turns(200, 190)} ; ${soon} | ${AGAIN} ; agreed=2 name=expires
  retry passed         | waits for its turn, with two of them     | ${turns(200, 190)} ; ${soon} ; ${soon} | ${AGAIN} ; agreed=2 name=expires ; agreed=2 name=expires
  retry passed         | backs off for 120 ms                     | ${turns(200, 120)} | ${AGAIN}
  retry passed         | backs off for 500 ms                     | ${turns(200, 500)} | ${AGAIN}
  retry failed         | waits for its turn, with pauses that differ by 10 ms | ${turns(200, 190, 10)} | ${AGAIN}
  retry passed         | waits for its turn, with pauses that differ by 100 ms | ${turns(200, 190, 100)} | ${AGAIN}
  retry passed         | retries at once, and now and then reads twice in a turn | a0 r20-2000/200 r831 ; ${turns(200, 5)} | name=steady ; ${AGAIN}
  retry not-applicable | reads without a pause                    | ${turns(40, 30)} | ${AGAIN}`);

// Where a 403 lasts.

/** So many attempts without a pause, each with a token of its own. */
const row = (attempts: number, from = 420, firstToken = 1): string =>
  count(attempts)
    .map(
      (nth) =>
        `${nth > 0 ? `a${from + nth * 30 - 15}:${firstToken + nth} ` : ''}b${from + nth * 30}:${firstToken + nth}`,
    )
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
testRows(
  `
  no-loop passed | gives up after its retry              | ${row(2)} | exits=1
  no-loop warned | makes three attempts                  | ${row(3)}
  no-loop failed | makes seven attempts                  | ${row(7)}
  no-loop failed | renews at each refusal, once a second | ${each(1000, 8)} | | 8 reads in a row were refused, and each time another token
  no-loop passed | does so six times                     | ${each(1000, 6)}
  no-loop passed | does so each two seconds              | ${each(2000, 12)}
  no-loop passed | begins each turn with a new token     | ${pairs} ${anew}
  no-loop passed | has two turns that follow one another at once | b420 a435 b450 b500 a515 b530 b920 a935 b950 b1420 a1435 b1450
  no-loop passed | backs off             | ${waits}
  no-loop not-applicable | was never refused |
  no-loop not-applicable | is served at its retry | x420 a435 r450 | ended=1@400`,
  {
    calls: 'a0 r20 r220',
    given: 'name=403-stays',
    besides: [scene('a0 r20-2400/200', 'name=steady')],
  },
);

// The service answers slowly, and refuses fast.
testRows(`no-loop passed | is refused at each of its turns, which then take less time | ${pairs} ${anew}`, {
  calls: 'a0 r20 r220',
  given: 'name=403-stays',
  besides: [scene('a0 r20-8000/1200~1000', 'name=steady')],
});

/** Five readers at once. */
const five = (kind: string, pauseMs: number, from: number, until: number) =>
  count((until - from) / pauseMs)
    .flatMap((nth) => count(5).map((reader) => `${kind}${from + nth * pauseMs + reader}~12`))
    .join(' ');
const calm = scene(`a0 ${five('r', 200, 20, 2400)}`, 'name=steady');
const refusing = (pauseMs: number) => `a0 ${five('b', pauseMs, 420, 4400)}`;

testRows(
  `
  no-loop passed | with five readers tries as often as ever | ${refusing(200)}
  no-loop passed | with five readers tries twice as often   | ${refusing(100)}
  no-loop warned | with five readers tries four times as often | ${refusing(50)}
  no-loop failed | with five readers tries ten times as often  | ${refusing(20)}`,
  { given: 'name=403-stays', besides: [calm] },
);
testRows(`
  no-loop not-applicable | with five readers, of unknown pace | ${refusing(20)} | name=403-stays`);
