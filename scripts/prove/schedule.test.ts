/** The judge of feeds finds nothing in what the mock generates, whatever it is asked for. */
import { expect, test } from 'vitest';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { createRecords, declaredIn } from '../../mocks/records.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { judgeFeed } from '../../tests/feed/reader.ts';

const PROFILES = ['ods-record', 'nrao-ods', 'static-feed', 'hcro'];
const COUNTS = [1, 3, 20, 200];
const STEPS = 10;
const MINUTE = 60_000;
const AT = Date.parse('2030-01-01T00:00:00Z');

for (const profile of PROFILES)
  test(`judge of feeds finds nothing in a schedule under ${profile}`, async () => {
    const { document } = await loadProfile(profile);
    const contract = feedContractOf(document);
    if (!contract) throw new Error(`The profile ${profile} does not describe records.`);
    const findings: string[] = [];
    let judged = 0;
    const declared = declaredIn(document);
    for (const count of COUNTS) {
      const records = createRecords({ given: count, declared, onFault: () => {} });
      for (let step = 0; step < STEPS; step++) {
        const nowMs = AT + step * 33.9 * MINUTE;
        const verdict = judgeFeed(records?.body(nowMs) ?? Buffer.of(), contract, { nowMs });
        judged += verdict.records;
        for (const { rule, places } of verdict.findings)
          findings.push(`${count} at ${new Date(nowMs).toISOString()}: ${rule} ${places[0]?.seen}`);
      }
    }
    expect(findings).toEqual([]);
    expect(judged).toBe(STEPS * COUNTS.reduce((sum, count) => sum + count, 0));
  });
