/** Calls that a service sent a client to by a redirect. */
import type { RecordedCall } from '../../traffic/call.ts';
import { fieldNamed } from '../../traffic/exchange.ts';

type Redirectable = Pick<RecordedCall, 'kind' | 'status' | 'recorded'>;

const REDIRECTS = [301, 302, 303, 307, 308];

/** Calls of no operation to which an earlier answer redirected one of an operation, or another such call. In the order of time. */
export function redirectedCalls<One extends Redirectable>(calls: readonly One[]): ReadonlySet<One> {
  const targets = new Set<string>();
  const found = new Set<One>();
  for (const call of calls) {
    const { kind, status = 0, recorded } = call;
    const isSentThere = kind === 'other' && [...targets].some((path) => path.endsWith(recorded.path));
    if (isSentThere) found.add(call);
    if ((kind === 'other' && !isSentThere) || !REDIRECTS.includes(status)) continue;
    const path = redirectOf(recorded);
    if (path !== undefined && targets.size < MOST_TARGETS) targets.add(path);
  }
  return found;
}

const MOST_TARGETS = 20;

/**
 * The path of a Location, which may be relative (RFC 9110, 10.2.2), at the host of the call. The scheme may differ: a service
 * behind a gateway may name http, from where the gateway redirects to https.
 */
export function redirectOf({ origin, path, answer }: Redirectable['recorded']): string | undefined {
  const location = answer && fieldNamed(answer.headers, 'location');
  const from = origin + path;
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const { host, pathname } = new URL(location, from);
  return host === new URL(from).host ? pathname : undefined;
}
