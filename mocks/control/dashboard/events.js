// @ts-check
/** Server-sent events over fetch, since an EventSource sends no Authorization (HTML standard, section 9.2). */
/** @import { Entry, Wire } from './wire.js' */

/** The mock says every 15 s that it is there. */
const SILENCE_MS = 40_000;
/** No event is that long. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Resolves when the stream has ended; throws what `wire.open` does, and where the stream breaks off.
 *
 * @param {object} options
 * @param {Wire} options.wire
 * @param {number} options.since the last exchange that is known
 * @param {AbortSignal} options.signal
 * @param {() => void} options.opened
 * @param {(entries: Entry[]) => void} options.take what has come at once; nothing is kept here
 */
export async function listen({ wire, since, signal, opened, take }) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await wire.open('events', {
      headers: { 'last-event-id': String(since) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.body) return;
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > MOST_CHARACTERS) throw new Error('An event does not end.');
      const entries = blocks.flatMap(entryIn);
      if (entries.length > 0) take(entries);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} block @returns {Entry[]} one, or none for a comment */
function entryIn(block) {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
    .join('\n');
  return data === '' ? [] : [JSON.parse(data)];
}
