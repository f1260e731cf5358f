/** Headers of answers that a draft states: as they are served, and as they are required. */
import { harmless } from '../probe/body-shape.ts';
import type { Answered } from '../support/evidence.ts';
import { listed, type Node } from './drafted.ts';

/** Those that mean something to a client, by their names as they are written. */
const TELLING = ['WWW-Authenticate', 'Allow', 'Cache-Control', 'Retry-After', 'Location'];
/** Their values vary: only their presence can be required. */
const VARYING = ['Retry-After', 'Location'];

/** `inWords` ends a sentence on the answer. */
export function headersOf(seen: Answered[]) {
  const served: Record<string, string> = {};
  const asked: Node = {};
  const words: string[] = [];
  for (const name of TELLING) {
    const values = seen.map(({ response }) =>
      response.headers
        .filter(([one]) => one === name.toLowerCase())
        .map(([, value]) => value)
        .join(', '),
    );
    const [value = ''] = values;
    if (values.some((one) => !/^[\x20-\x7e]{1,200}$/.test(one))) continue;
    const isSame = values.every((one) => one === value) && harmless(value) === value.trim();
    const scheme = /^[A-Za-z]+\b/.exec(value)?.[0];
    if (isSame && !VARYING.includes(name)) {
      served[name] = value;
      asked[name] = { schema: { const: value } };
      words.push(`${name}: ${value}`);
    } else if (name === 'WWW-Authenticate' && scheme && values.every((one) => one.startsWith(scheme))) {
      served[name] = scheme;
      asked[name] = { schema: { pattern: `^${scheme}\\b` } };
      words.push(`${name}: ${scheme}`);
    } else if (VARYING.includes(name)) {
      served[name] = name === 'Location' ? harmless(value.replace(/[?#].*/, '')) : '1';
      asked[name] = { schema: {} };
      words.push(name);
    }
  }
  return { served, asked, inWords: words.length > 0 ? `, and ${listed(words)}` : '' };
}
