/** What an Accept header says of JSON (RFC 9110, 12.5.1). */
import type { Field } from './exchange.ts';

/** `named`: application/json itself. `allowed`: only by a wider range, such as application/*. `refused`: neither. */
export type JsonAcceptance = 'named' | 'allowed' | 'refused';

/** From the most specific to the least: the first that the header has decides. */
const RANGES = ['application/json', 'application/*', '*/*'];
/** What it holds separates nothing (RFC 9110, 5.6.4). */
const QUOTED = /"(?:\\.|[^"\\])*"?/g;
const NEVER = /^q=0(\.0*)?$/;

/** The value of all Accept headers of a request, in their order (RFC 9110, 5.3); undefined without one. */
export function acceptIn(headers: readonly Field[]): string | undefined {
  const lines = headers.filter(([name]) => name === 'accept');
  return lines.length > 0 ? lines.map(([, line]) => line).join(', ') : undefined;
}

/**
 * What a header with this value accepts; undefined where it is empty or absent. A range that is listed twice is accepted
 * if one of them is.
 */
export function jsonAcceptance(value: string | undefined): JsonAcceptance | undefined {
  if (!value?.trim()) return undefined;
  const accepted = new Map<string, boolean>();
  for (const member of value.toLowerCase().replace(QUOTED, '""').split(',')) {
    const [type = '', ...parameters] = member.split(';').map((part) => part.trim());
    const isNever = parameters.some((one) => NEVER.test(one));
    accepted.set(type, accepted.get(type) === true || !isNever);
  }
  const range = RANGES.find((one) => accepted.has(one));
  if (range === undefined || !accepted.get(range)) return 'refused';
  return range === RANGES[0] ? 'named' : 'allowed';
}
