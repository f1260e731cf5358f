/** Which header fields pass, and which are for one connection only (RFC 9110 section 7.6.1). Lists have names and values in turn. */

const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);
/** They frame or address the message, whatever Connection names. */
const ALWAYS = new Set(['content-length', 'host']);

/** The fields that pass, as they were written and in their order. */
export function endToEnd(rawHeaders: readonly string[]): string[] {
  const named = optionsIn(rawHeaders, 'connection');
  const passed: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const lower = name.toLowerCase();
    if (OF_CONNECTION.has(lower) || (named.includes(lower) && !ALWAYS.has(lower))) continue;
    passed.push(name, rawHeaders[at + 1] as string);
  }
  return passed;
}

/** The items of all lines of a list such as Connection, in lower case. */
export function optionsIn(rawHeaders: readonly string[], wanted: string): string[] {
  const options: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase() === wanted)
      for (const option of (rawHeaders[at + 1] as string).split(','))
        options.push(option.trim().toLowerCase());
  return options;
}

export interface Framing {
  /** Of the service. */
  host: string;
  isChunked: boolean;
  /** Whether a request without a body says so. */
  needsLength: boolean;
  /** Whether the client was asked for its body already: the service need not be. */
  isRead: boolean;
}

/** The head for the service: Host is that of the service, and the body is framed as the client framed it. */
export function headForService(
  rawHeaders: readonly string[],
  { host, isChunked, needsLength, isRead }: Framing,
): string[] {
  const all = endToEnd(rawHeaders);
  const head = isRead ? all.filter((_, at) => all[at - (at % 2)]?.toLowerCase() !== 'expect') : all;
  for (let at = 0; at < head.length; at += 2) if (head[at]?.toLowerCase() === 'host') head[at + 1] = host;
  if (!head.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')) head.unshift('Host', host);
  if (isChunked) head.push('Transfer-Encoding', 'chunked');
  if (needsLength) head.push('Content-Length', '0');
  // Trailers pass, so the client's wish for them does too.
  const wantsTrailers = optionsIn(rawHeaders, 'te').some((one) => /^trailers( *;|$)/.test(one));
  if (wantsTrailers) head.push('TE', 'trailers', 'Connection', 'TE, keep-alive');
  else head.push('Connection', 'keep-alive');
  return head;
}

/** Names and values as pairs, as trailers are given to Node.js. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  return pairs;
}
