import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../docs.mjs', import.meta.url));

test('the tables of options in the documents are those of the commands', () => {
  expect(() => execFileSync(process.execPath, [program, '--check'], { stdio: 'pipe' })).not.toThrow();
});
