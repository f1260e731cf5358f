// @ts-check
/** The way to the mock: opened, lost, found again. */
import { listen } from './events.js';
import { Refused } from './wire.js';

/** @import { Entry, Wire } from './wire.js' */
/** @typedef {'connecting' | 'connected' | 'lost' | 'gone'} Connected */

const FIRST_MS = 250;
const LONGEST_MS = 5000;

/**
 * Runs until `signal` ends it, or the mock knows the key no more; then it resolves with what the mock said.
 *
 * @param {object} options
 * @param {Wire} options.wire
 * @param {AbortSignal} options.signal
 * @param {() => Promise<number>} options.load reads everything anew; returns the number of the last exchange
 * @param {(entries: Entry[]) => void} options.take
 * @param {(state: Connected, sentence: string) => void} options.say
 * @param {HTMLButtonElement} options.retry tries again at once
 * @returns {Promise<Refused | undefined>}
 */
export async function stayConnected({ wire, signal, load, take, say, retry }) {
  let wait = 0;
  let was = '';
  const opened = () => {
    say(
      'connected',
      was === '' ? 'This page shows each call as it arrives.' : 'Connected to the mock again.',
    );
    wait = 0;
    was = 'connected';
  };
  while (!signal.aborted) {
    try {
      const since = await load();
      await listen({ wire, since, signal, opened, take });
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof Refused && error.status === 401) return error;
      if (error instanceof Refused) say('lost', `${error.message} Retrying.`);
      else if (was !== 'connected') say('gone', `The mock does not answer at ${location.host}. Retrying.`);
    }
    if (was === 'connected') say('lost', 'The connection to the mock was lost. Retrying.');
    was = 'lost';
    await pause(wait, signal, retry);
    wait = Math.min(LONGEST_MS, wait * 2 || FIRST_MS);
  }
  return undefined;
}

/** @param {number} forMs @param {AbortSignal} signal @param {HTMLElement} retry @returns {Promise<void>} */
function pause(forMs, signal, retry) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, forMs);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      retry.removeEventListener('click', done);
      resolve();
    }
    signal.addEventListener('abort', done);
    retry.addEventListener('click', done);
  });
}
