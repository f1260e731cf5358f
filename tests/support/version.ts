/** Which suite, by which statements of the specification, made a report. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of this package. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/package.json')), 'utf8'),
);

/** What every report says of the suite that made it. */
export interface Suite {
  name: 'mrs-contract';
  version: string;
  /** A digest of tests/requirements.yaml, since the specification has no version of its own. */
  specification: string;
}

export const suite: Suite = {
  name: 'mrs-contract',
  version,
  specification: `sha256:${createHash('sha256')
    .update(readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/requirements.yaml'))))
    .digest('hex')}`,
};
