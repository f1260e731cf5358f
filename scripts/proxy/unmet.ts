/** What the options name and no call was about: most likely, the option is wrong. */
import { healthCheckAt, partsOf } from '../../tests/support/health-paths.ts';
import { UNNAMED } from '../judge/judge-recording.ts';
import type { Judged } from '../judge/read-recording.ts';

/** As a sentence, where the client of an injected scenario never came. `seen`: the ids of those that did. */
export function missingClient(client: string, seen: readonly string[]): string | undefined {
  if (seen.includes(client)) return undefined;
  const others = seen
    .filter((id) => id !== UNNAMED)
    .slice(0, MOST)
    .join(', ');
  return `No token request had the id ${client} of --client, so nothing was injected. ${
    others === '' ? 'Start that client with the proxy as its base URL.' : `Seen: ${others}. Correct --client.`
  }`;
}

const MOST = 5;

/** A sentence for each health check that no call was for, where calls to almost the same path passed. */
export function missedHealthPaths(healthPaths: readonly string[], exchanges: readonly Judged[]): string[] {
  const others = new Map<string, { method: string; path: string; count: number }>();
  const met = new Set<string>();
  for (const { kind, exchange } of exchanges) {
    const { method, path } = exchange;
    const check = healthCheckAt(healthPaths, method, path);
    if (check !== undefined) met.add(check);
    if (kind !== 'other') continue;
    const known = others.get(`${method} ${path}`);
    if (known) known.count++;
    else others.set(`${method} ${path}`, { method, path, count: 1 });
  }
  return healthPaths.flatMap((check) => {
    const near = met.has(check) ? undefined : [...others.values()].find((other) => isNear(check, other));
    if (!near) return [];
    const { method, path, count } = near;
    const named = `${method === 'GET' ? '' : `${method} `}${path}`;
    const times = count === 1 ? 'once' : `${count} times`;
    return [
      `No call was for ${check} of --health-paths, and ${method} ${path} passed ${times}. If that is the health check, give --health-paths ${named}.`,
    ];
  });
}

function isNear(check: string, { path }: { path: string }): boolean {
  const [own, other] = [bare(partsOf(check)[1].split('?')[0] ?? ''), bare(path)];
  // With a base path too many, or one too few.
  return own === other || own.endsWith(`/${other}`) || other.endsWith(`/${own}`);
}

const bare = (path: string): string =>
  path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
    .join('/');
