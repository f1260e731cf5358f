/** Which suite, by which statements of the specification, made a report. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${name}`)), 'utf8');
/** The digest of a text, as `sha256:…`. */
export const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The version of this package. */
export const { version }: { version: string } = JSON.parse(textOf('package.json'));

const requirements = textOf('requirements.yaml');

/** What every report says of the suite that made it, with digests of files as `sha256:…`. */
export const suite = {
  name: 'mrs-contract' as const,
  version,
  /** The statements of the specification, in the words that it was judged by. */
  requirements: digestOf(requirements),
  /** The specification itself, as requirements.yaml names it; the document is not part of this package. */
  specification: `sha256:${/^# document +([0-9a-f]{64})$/m.exec(requirements)?.[1]}`,
  contract: digestOf(textOf('openapi.yaml')),
};
