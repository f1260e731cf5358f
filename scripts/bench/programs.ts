/** The servers that are compared. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Answer } from './answer.ts';
import type { Program } from './server.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli');

/** As `mrs mock` starts it, with the small answer that the others send too. */
export const mockProgram: Program = {
  name: 'mock',
  args: (port) => [at('../mrs.js'), 'mock', '--records', '0', '--port', String(port)],
};

/** Sends what the mock sends, without any thought. */
export const bareProgram = (answer: Answer): Program<'bare'> => ({
  name: 'bare',
  args: (port) => [at('./bare.js'), String(port)],
  input: JSON.stringify(answer),
});

/** In one process, as the mock; else as its users start it. */
export const prismProgram = prismMock('prism');

/** The same without a line of log for each request. */
export const quietProgram = prismMock('quiet', '-v', 'error');

function prismMock(name: Program['name'], ...options: string[]): Program {
  return {
    name,
    args: (port) => [prism, 'mock', '-m', 'false', ...options, '-p', String(port), 'openapi.yaml'],
  };
}
