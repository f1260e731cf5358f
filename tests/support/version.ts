import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of this package. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/package.json')), 'utf8'),
);
