/** What a recorded request accepts. */
import type { RecordedExchange } from './exchange.ts';

/** From the most specific to the least: the first that is there decides (RFC 9110, 12.5.1). */
const RANGES = ['application/json', 'application/*', '*/*'];

/** Whether its Accept header lets application/json through; undefined without such a header. */
export function acceptOf({ headers }: Pick<RecordedExchange, 'headers'>): 'json' | 'other' | undefined {
  const value = headers
    .filter(([name]) => name === 'accept')
    .map(([, one]) => one)
    .join(',');
  if (value.trim() === '') return undefined;
  const weights = new Map(
    value.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      return [type, !parameters.some((part) => /^q=0(\.0*)?$/.test(part))];
    }),
  );
  const range = RANGES.find((one) => weights.has(one));
  return range !== undefined && weights.get(range) ? 'json' : 'other';
}
