/** The paths of health checks, which the specification does not show (clause 4.3). */
import { UsageError } from './usage-error.ts';

/** Paths below the base URL, each with its method before it if that is not GET. Throws UsageError; `name`: the option. */
export function readHealthPaths(text: string, name: string): string[] {
  const paths = text.split(',').map((path) => path.trim());
  return paths
    .filter((path) => path !== '')
    .map((path) => {
      if (/^((GET|HEAD|POST) )?\/[\x21-\x7e]*$/.test(path)) return path;
      throw new UsageError(
        `${name} holds "${path}". Each path starts with a slash, or a method before it: /health/,POST /ready/.`,
      );
    });
}

/** The one of `checks` that a request is for, by its method and its path, which has no query. */
export const healthCheckAt = (checks: readonly string[], method: string, path: string): string | undefined =>
  checks.find((check) => {
    const [own, ownPath] = partsOf(check);
    return own === method && ownPath.split('?')[0] === path;
  });

/** The method and the path, with its query, of a health check. */
export function partsOf(check: string): [method: string, path: string] {
  const at = check.indexOf('/');
  return [check.slice(0, at).trim() || 'GET', check.slice(at)];
}
