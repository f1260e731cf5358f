/** A deployment by its name. */
import { closest } from 'fastest-levenshtein';
import { MockError } from '../contract/mock-error.ts';
import type { Deployment } from './deployment.ts';

/** Throws MockError if none of `list` has this name; `kind` is what they are, and `listing` a command that lists them. */
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
  throw new MockError(`There is no ${kind} "${name}". The nearest is "${nearest}"; ${listing} lists all.`);
}
