// @ts-check
/** The control API of the mock, as control.openapi.yaml describes it: requests, and the stream of calls. */
/** @import { components } from '../../control.openapi.d.ts' */

/** @typedef {components['schemas']['Clock']} Clock */
/** @typedef {components['schemas']['Client']} Client */
/** @typedef {components['schemas']['Token']} Token */
/** @typedef {components['schemas']['Entry']} Entry */
/** @typedef {components['schemas']['Contract']} Contract */
/** @typedef {components['schemas']['Scenarios']['scenarios'][number]} Scenario */
/** @typedef {Omit<components['schemas']['Certificate'], 'outcome' | 'scenarios'>} Certificate */

/** The API sends a comment every 15 s if there is no call. */
const SILENCE_MS = 40_000;
const MOST_CHARACTERS_OF_EVENT = 8 * 1024 * 1024;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** Other characters are invalid in a header. */
const KEY = /^[\w.~+/-]+=*$/;

/** The API refused a request; the message is its own sentence. */
export class Refused extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

let key = '';

/** @param {string} text */
export function useKey(text) {
  key = text.trim();
}

/** Throws Refused, or another error if nothing answers. @param {string} path below /__mock/ @param {RequestInit} [options] */
export async function open(path, options = {}) {
  if (!KEY.test(key)) throw new Refused(401, 'This is not a key.');
  const headers = new Headers(options.headers);
  headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(`/__mock/${path}`, {
    ...options,
    headers,
    cache: 'no-store',
    credentials: 'omit',
  });
  if (response.ok) return response;
  const refusal = await response.json().catch(() => undefined);
  const sentence = refusal?.error_description;
  throw new Refused(
    response.status,
    typeof sentence === 'string' ? sentence : `The mock answered ${response.status}.`,
  );
}

/** @param {string} path @returns {Promise<any>} */
export const read = async (path) => (await open(path)).json();

/** Changes something, and lets the page look again. @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function send(method, path, body) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const options = body === undefined ? {} : { body: text, headers: { 'content-type': 'application/json' } };
  try {
    const response = await open(path, { method, ...options });
    return response.status === 204 ? undefined : await response.json();
  } finally {
    document.dispatchEvent(new Event('changed'));
  }
}

/**
 * Follows the calls, and connects again after a break, until `signal` ends it.
 *
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {() => Promise<number>} options.load reads everything anew; returns the number of the last call
 * @param {(entries: Entry[]) => void} options.take
 * @param {(isConnected: boolean, sentence: string) => void} options.tell
 * @returns {Promise<boolean>} false if the mock no longer accepts the key
 */
export async function follow({ signal, load, take, tell }) {
  let wait = 0;
  let isFirst = true;
  const opened = () => {
    tell(true, isFirst ? 'This page shows each call as it arrives.' : 'Connected to the mock again.');
    isFirst = false;
    wait = 0;
  };
  while (!signal.aborted) {
    try {
      await listen(await load(), { signal, opened, take });
      tell(false, 'The connection to the mock was lost. Retrying.');
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof Refused && error.status === 401) return false;
      const why = error instanceof Refused ? error.message : `The mock does not answer at ${location.host}.`;
      tell(false, `${why} Retrying.`);
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(LONGEST_WAIT_MS, wait * 2 || FIRST_WAIT_MS);
  }
  return true;
}

/**
 * Server-sent events over fetch, since an EventSource sends no Authorization (HTML standard, section 9.2). Resolves at the
 * end of the stream.
 *
 * @param {number} since the number of the last known call
 * @param {{ signal: AbortSignal, opened: () => void, take: (entries: Entry[]) => void }} options
 */
async function listen(since, { signal, opened, take }) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await open('events', {
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
      if (rest.length > MOST_CHARACTERS_OF_EVENT) throw new Error('An event does not end.');
      const entries = blocks.flatMap(entryIn);
      if (entries.length > 0) take(entries);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** One, or none in a comment. @param {string} block @returns {Entry[]} */
function entryIn(block) {
  const lines = block.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? [] : [JSON.parse(lines.map((line) => line.slice(5)).join('\n'))];
}
