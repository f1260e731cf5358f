import { testRows } from '../testing/scenes.ts';

const back = 'a7000 r7020-8000/200';
const hail = (end: string) => Array.from({ length: 14 }, (_, nth) => `f${3040 + 12 * nth}!${end}`).join(' ');
const crowd = 'x3020~20 x3021~19 x3022~18 x3023~17 x3024~16';
const advised = 'f3040!429?2';
/** Of whose refused reads another was under way when the advice came. */
const readers = `${advised} x3025~20 x3026~19`;
/** Each time an answer is recorded as late as the examiner is held up. */
const late = 'f3040~250 f3340~250 f3640~250 f3940~250 a4940';
const stalls = [3040, 3340, 3640, 3940].map((at) => `${at + 5}-${at + 250}`).join();
const reset = 'a3040 r3240!reset';

testRows(
  `
  back-off passed         | waits for its turn                      | f3040-6040/200 ${back}
  back-off passed         | asks three times without a pause        | f3040 f3051 f3062 ${back}
  back-off warned         | asks four times without a pause         | f3040 f3051 f3062 f3073 ${back}
  back-off failed         | asks all the time                       | f3040-6040/12 ${back} | | 250 token requests came without a pause while the token endpoint failed.
  back-off failed         | asks twenty-one times without a pause   | f3040-3290/12 ${back}
  back-off warned         | asks twenty times without a pause       | f3040-3280/12 ${back}
  back-off warned         | asks all the time, and gets 429         | ${hail('429')} ${back}
  back-off warned         | asks all the time, and is reset         | ${hail('reset')} ${back}
  back-off not-applicable | asks all the time, and gets 401         | ${hail('401')} ${back}
  back-off passed         | is five readers that try three times    | ${crowd} f3050-3230/12 ${back}
  back-off warned         | is five readers that try five times     | ${crowd} f3050-3350/12 ${back}
  back-off warned         | asks as soon as an answer came          | ${late}
  back-off could-not-run | asks while the examiner is held up      | ${late} | stalls=${stalls} | got no processor time for 1.0 s
  retry-after passed      | waits as long as advised                | ${advised} a5050
  retry-after passed      | has a clock that is a little early      | ${advised} a4955
  retry-after not-applicable | is silent after the advice           | ${advised} | until=9000
  back-off not-applicable | is not seen after the failure           | f3040 | until=9000
  back-off passed         | asks once more                          | f3040 f3540
  retry-after could-not-run | is early by as much as the examiner is held up | f3040~210!429?2 a5060 | stalls=3045-3245 | got no processor time for 0.2 s
  retry-after warned      | is early by more than that              | f3040~210!429?2 a4800 | stalls=3045-3245
  retry-after passed      | is another process without the advice   | ${advised} a3540 | processes=2
  retry-after passed      | is two readers whose requests crossed   | ${readers} f3060 a5060
  retry-after warned      | is two readers whose requests did not   | ${readers} f3460 a5060
  retry-after passed      | is two readers, each with its own advice | ${readers} f3200!429?2 a5060 a5220
  retry-after warned      | is two readers that ask again and again | ${readers} f3090!429?2 f3690!429?2 f4890!429?2 a6100 | | Asked to wait 2 s, the client called again after 0.6 s, 2 times in all.
  retry-after not-applicable | has no advice to wait                | f3040 a3540
  recovers not-applicable | is killed                               | f3040 | killed=SIGKILL
  recovers warned         | stops after a read broke off            | ${reset} | until=13250 | The client had read nothing 10.0 s after the last failure.
  recovers passed         | reads on after a read broke off         | ${reset} r3460
  recovers not-applicable | is watched for less than ten seconds    | ${reset} | until=13000
  recovers not-applicable | meets no failure                        | a3040 r3060`,
  { calls: 'a0 r20-3000/200 x3020', given: 'agreed=3 name=token-down' },
);

testRows(`
  recovers not-applicable | reads seldom, and is silent for two turns | a0 r20-30000/8000 r32020!500 | until=52030
  recovers warned         | reads seldom, and is silent for five      | a0 r20-30000/8000 r32020!500 | until=72030
  recovers warned         | had read in another scenario only         | a0 r20-3000/200 x3020 ; a0 f3000 | name=steady ; until=14000 name=token-down`);
