/** Calls that a service sent a client to by a redirect. */
import type { CallKind } from '../../traffic/call-kind.ts';
import { fieldNamed, type RecordedExchange } from '../../traffic/exchange.ts';

interface Redirectable {
  kind: CallKind;
  /** Absent where no answer came. */
  status?: number;
  recorded: Pick<RecordedExchange, 'path' | 'answer'>;
}

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
    const path = pathOf(recorded.answer && fieldNamed(recorded.answer.headers, 'location'), recorded.path);
    if (path !== undefined && targets.size < MOST_TARGETS) targets.add(path);
  }
  return found;
}

const MOST_TARGETS = 20;

/** The path of a Location, which may be relative (RFC 9110, 10.2.2). */
function pathOf(location: string | undefined, from: string): string | undefined {
  if (location === undefined || !URL.canParse(location, `http://host${from}`)) return undefined;
  return new URL(location, `http://host${from}`).pathname;
}
