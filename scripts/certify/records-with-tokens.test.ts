/** A client that reads records with tokens is asked what a reader of a feed is asked. */
import { expect, test } from 'vitest';
import type { Client, Parts } from '../../tests/client/corpus/client.ts';
import { reactive } from '../../tests/client/corpus/parts.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { type ExamineOptions, examine } from './examine.ts';
import { clientsInProcess, startProcessClock } from './process-clock.ts';
import { subjectUnder } from './scenarios.ts';

const PROFILE = 'nrao-ods';

/** How many records the client holds after an answer, if it is taken for a schedule: `held` is what it had. */
type Reading = (status: number, text: string, held: number) => number;

const countIn = (text: string): number | undefined => {
  try {
    const { ods_data: records } = JSON.parse(text);
    return Array.isArray(records) ? records.length : undefined;
  } catch {
    return undefined;
  }
};
const correct: Reading = (status, text, held) => (status === 200 ? (countIn(text) ?? held) : held);

async function certificateUnder(reading: Reading | undefined, names: readonly string[]) {
  using clock = startProcessClock();
  const { catalogue, scenarios } = await subjectUnder(PROFILE);
  const start: ExamineOptions['start'] = (variables, name, report) => {
    let held = 0;
    const behaviour: Partial<Parts> = {
      async send(client: Client, request) {
        const answer = await reactive.send(client, request).catch(() => ({ status: 0, text: '' }));
        if (request.method === 'GET' && reading) {
          held = reading(answer.status, answer.text, held);
          report(held);
        }
        if (answer.status === 0) throw new Error('no answer');
        return answer;
      },
    };
    return clientsInProcess(behaviour, { pollSeconds: 0.2, clock })(variables, name, report);
  };
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  const runs = await examine({ scenarios: chosen, profile: PROFILE, deadlineSeconds: 40, clock, start });
  const { rules } = certificateOf(runs, catalogue);
  return Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
}

const NAMES = ['steady', 'expires', 'data-500', 'data-html', 'data-emptied'];

for (const [what, reading, expected] of [
  [
    'reads them',
    correct,
    { 'reads-records': 'passed', 'checks-content': 'passed', 'keeps-schedule': 'passed' },
  ],
  [
    'takes every error for an empty schedule',
    (_, text) => countIn(text) ?? 0,
    { 'checks-content': 'failed', 'keeps-schedule': 'failed' },
  ],
  ['does not say what it holds', undefined, { 'reads-records': 'could-not-run', 'token-reuse': 'passed' }],
] as [string, Reading | undefined, Record<string, string>][])
  test(`a client with tokens that ${what} is judged by its records as well as by its tokens`, async () => {
    expect(await certificateUnder(reading, NAMES)).toMatchObject({ renewal: 'passed', ...expected });
  });
