import { expect, _baseTest as test } from '@playwright/test';
import { createProgress } from './progress.ts';

function printed(isTTY: boolean): string {
  let output = '';
  const progress = createProgress(2, 4, { isTTY, columns: 40, write: (text) => (output += text) });
  progress.started('a');
  progress.started('b');
  progress.ended('a', 'conformant', '');
  progress.ended('b', 'no-report', 'It printed: \u001b[31m');
  progress.close();
  return output;
}

test('progress is a line for each deployment where no one watches', () => {
  expect(printed(false)).toBe(
    'Judging 2 deployments, at most 4 at a time.\n[1/2] ✓ a: conformant\n[2/2] ∅ b: no report, It printed: \\u{001b}[31m\n',
  );
});

test('progress on a terminal shows what is running', () => {
  expect(printed(true)).toContain('✓ a: conformant\n1 of 2 done, running: b\r\u001b[2K');
});
