import { expect, _baseTest as test } from '@playwright/test';
import { rowsOf, scene } from './testing/rows.ts';
import { certificateFor } from './testing/traffic.ts';

/** A token, and reads from right after it came until `until`. */
const holds = (from: number, until: number, pauseMs = 200) => `a${from} r${from + 20}-${until}/${pauseMs}`;
const reactive = `${holds(0, 3000)} x3020 ${holds(3031, 4000)}`;
const each = [1, 2, 3, 4, 5].map((nth) => holds(nth * 200, nth * 200 + 100)).join(' ');
const clock = `${holds(0, 4800)} ${holds(4801, 9500)} x9590`;
const young = [1, 2, 3, 4].map((nth) => `a${nth * 1000} x${nth * 1000 + 20} x${nth * 1000 + 300}`).join(' ');
/** Tokens that are each refused twice while they live, and replaced at this age. */
const forbidden = (ageMs: number) =>
  [1, 2, 3, 4]
    .map((nth) => nth * (ageMs + 100))
    .map((at) => `a${at} b${at + 20} b${at + ageMs - 150}`)
    .join(' ');
const nextTurn = `${holds(0, 3000)} x3020 ${holds(3230, 4000)}`;
const first = [1, 2, 3, 4, 5].map((nth) => `x${1001 + nth}~${99 - nth}`).join(' ');

for (const [what, strategy = '', calls = '', given = ''] of rowsOf(`
  asks right after each refusal                 | reactive      | ${holds(0, 3000)} x3020 ${holds(3031, 6020)} x6051 ${holds(6062, 7000)}
  has a refusal whose end is noted late         | reactive      | ${holds(0, 3000)} x3020~25 ${holds(3031, 4000)}
  asks with its next turn after the refusal     | reactive      | ${nextTurn}
  asks before the expiry                        | proactive 0.6 | ${holds(0, 2400)} ${holds(2401, 4800)} ${holds(4802, 5600)}
  asks at the expiry, and was refused nothing   | proactive     | ${holds(0, 2300, 1100)} ${holds(3320, 5500, 1100)} ${holds(6640, 8000, 1100)}
  asks before the expiry, and after a refusal   | both 0.6      | ${holds(0, 2400)} ${holds(2401, 4000)} x4010 ${holds(4025, 5000)} | ended=2@4000
  asks after a refusal when its time had come   | both 1.2      | ${clock} ${holds(9602, 11_000)} | agreed=6 ended=2@9580
  asks by its clock a turn after a refusal      | proactive 1.2 | ${clock} ${holds(9790, 11_000)} | agreed=6 ended=2@9580
  waits a second for its token                  | proactive 0.4 | ${holds(0, 1600)} ${holds(1601, 2400)} ; a0~1000 ${first} x1300-4800/300 ${holds(4801, 6000)} | agreed=2 ; name=parallel agreed=6 ended=1@1001
  asks for each read                            | none          | ${each} | agreed=900
  does so with short tokens too                 | none          | ${each} ; ${each} | name=journal agreed=900 ; agreed=3
  uses up long tokens, and no short one         | proactive     | ${holds(0, 2400)} ; ${each} | name=steady agreed=900 ; agreed=3
  never renews                                  | none          | ${holds(0, 3000)} x3020-4000/200
  asks in vain before it gets a token           | reactive      | ${holds(0, 3000)} x3020 f3031 f3531 f4531 ${holds(6531, 7500)}
  is two processes, each with its token         | reactive      | a0 a105 r20-3000/200:1 x3020:1 r125-3100/200:2 x3125:2 a3031 r3051-4000/200 a3136 r3156-4000/200 | processes=2
  asks after a refusal of a young token         | reactive      | ${reactive} ; ${young} a5000 | ; name=403-stays agreed=900
  asks after two refusals in 500 ms of 900 s    | reactive      | ${nextTurn} ; ${forbidden(500)} | ; name=403-stays agreed=900 long=true
  asks after two refusals in 4 s of 10 s        | reactive      | ${nextTurn} ; ${forbidden(4000)} | ; name=403-stays agreed=10 long=true
  asks four times after a refusal               | reactive      | ${holds(0, 3000)} x3020 a3031 a3431 a3831 a4231 ${holds(4631, 5400)}
  asks twice before its first read              | reactive      | a0 a2500 r2550-5500/200 x5550 ${holds(5561, 6500)}
  has a token that lives longer than agreed     | proactive 0.6 | ${holds(0, 2390)} ${holds(2400, 4790)} ${holds(4800, 7190)} ${holds(7200, 9000)} | name=token-slow lives=4,900
  has several margins                           | proactive 0.5 | ${holds(0, 2000)} ${holds(2001, 4500)} ${holds(4502, 7400)} ${holds(7403, 8000)}`))
  test(`strategy of a client that ${what}: ${strategy}`, () => {
    const circumstances = given.split(';');
    const scenes = calls
      .split(';')
      .map((one, nth) => scene(one, `agreed=3 name=expires ${circumstances[nth] ?? ''}`));
    const certificate = certificateFor(...scenes);
    expect([certificate.strategy, certificate.marginSeconds].join(' ').trim()).toBe(strategy);
  });
