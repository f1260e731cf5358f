/** Finds a deployment by its name. */
import { closest } from 'fastest-levenshtein';
import { MockError } from '../contract/mock-error.ts';
import type { Deployment } from './deployment.ts';

/** Throws MockError if `list` has no such name; `kind` says what they are, `listing` is a command that lists them. */
export function findDeployment<Kind extends Deployment>(
  list: readonly Kind[],
  name: string,
  kind: string,
  listing = 'mrs mock --list-defects',
): Kind {
  const found = list.find((one) => one.name === name);
  if (found) return found;
  const nearest = closest(
    name,
    list.map((one) => one.name),
  );
  throw new MockError(
    `There is no ${kind} "${name}". The nearest is "${nearest}"; ${listing} lists all of them.`,
  );
}
