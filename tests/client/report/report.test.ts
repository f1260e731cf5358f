import { expect, _baseTest as test } from '@playwright/test';
import { buildReport } from './report.ts';
import { conformant } from './testing/sample-certificates.ts';

const run = { client: { processes: 1 }, startedAt: '', durationMs: 1, problems: [] };

/** What the report keeps of the output of its first scenario. */
function keptOf(output: string) {
  const scenario = conformant.scenarios[0]?.name ?? '';
  const certificate = { ...conformant, outcome: 'conformant' } as const;
  const { scenarios } = buildReport(certificate, [{ scenario, output }], false, run);
  return scenarios[0]?.output;
}

test('a report keeps the last 20 lines of what a client printed, and names the file of the rest', () => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);
  expect(keptOf(`${lines.join('\n')}\n`)).toEqual({
    file: `output/${conformant.scenarios[0]?.name}.txt`,
    lastLines: lines.slice(5).join('\n'),
  });
});

test('a report keeps the message of an error, and not the frames of its stack', () => {
  const frames = Array.from({ length: 30 }, (_, index) => `    at step${index} (/srv/client.js:${index}:1)`);
  const printed = ['Error: no token in the answer', ...frames, '', 'Node.js v20.20.0', ''].join('\n');
  expect(keptOf(printed)?.lastLines).toBe('Error: no token in the answer');
});

test('a scenario without any output has none in the report', () => {
  expect(keptOf('\n')).toBeUndefined();
});
