import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';

const built = fileURLToPath(new URL('../../dist/mocks/engine/lazy-prism.js', import.meta.url));
/** How many modules for bodies by chance and for Postman a process has loaded that does this. */
const loadedBy = (doing: string): number =>
  Number(
    execFileSync(process.execPath, [
      '--input-type=module',
      '-e',
      `import { createRequire } from 'node:module';
       import { createInstance, getHttpOperationsFromSpec } from ${JSON.stringify(built)};
       ${doing}
       const { cache } = createRequire(import.meta.url);
       process.stdout.write(String(Object.keys(cache).filter((name) => /faker-js|postman-collection/.test(name)).length));`,
    ]).toString(),
  );

const madeUp = `
  const content = { 'application/json': { schema: { type: 'string', 'x-faker': 'name.firstName' } } };
  const responses = { 200: { description: 'x', content } };
  const operations = await getHttpOperationsFromSpec({
    openapi: '3.0.0', info: { title: 'x', version: '1' }, paths: { '/': { get: { responses } } },
  });
  const config = { isProxy: false, checkSecurity: false, validateRequest: false, validateResponse: false, errors: false };
  const logger = { child: () => logger, info() {}, debug() {}, warn() {}, error() {}, success() {}, trace() {} };
  const prism = createInstance({ ...config, mock: { dynamic: true } }, { logger });
  const made = await prism.request({ method: 'get', url: { path: '/' } }, operations)();
  if (typeof made.right?.output.body !== 'string') throw new Error(JSON.stringify(made));
`;

test('what makes up bodies is loaded when a body is made up, and not before; what reads Postman never', () => {
  expect(loadedBy('')).toBe(1); // the one that stands for all of faker
  expect(loadedBy(madeUp)).toBeGreaterThan(10);
});
