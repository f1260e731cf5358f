// @ts-check
/** What each client has done: counts of all, and the latest calls. Nothing here grows without bound. */
/** @import { Entry } from './wire.js' */

/** @typedef {'issued' | 'served' | 'refused' | 'other'} Kind */
/** @typedef {{ kind: Kind, at: number, token: string, age: number }} Call times in milliseconds */
/**
 * @typedef {object} Activity
 * @property {number} calls
 * @property {number} refused
 * @property {Call[]} latest
 * @property {Map<string, { calls: number, refused: number }>} ofTokens
 * @property {number} version goes up with each change
 */

const MOST_CALLS = 400;
const MOST_TOKENS = 100;
const MOST_CLIENTS = 10_000;

export function createActivities() {
  /** @type {Map<string, Activity>} */
  const known = new Map();

  return {
    clear: () => known.clear(),
    /** @param {string} id */
    of: (id) => known.get(id),
    /** @param {Entry} entry */
    add(entry) {
      const { client } = entry;
      if (client === undefined) return;
      /** @type {Activity} */
      const activity = known.get(client) ?? {
        calls: 0,
        refused: 0,
        latest: [],
        ofTokens: new Map(),
        version: 0,
      };
      if (activity.calls === 0) keep(known, client, activity, MOST_CLIENTS);
      const call = callOf(entry);
      const isRefused = call.kind === 'refused';
      activity.calls++;
      activity.version++;
      if (isRefused) activity.refused++;
      activity.latest.push(call);
      if (activity.latest.length >= 2 * MOST_CALLS) activity.latest.splice(0, MOST_CALLS);
      if (call.token === '') return;
      const { calls, refused } = activity.ofTokens.get(call.token) ?? { calls: 0, refused: 0 };
      const counted = { calls: calls + 1, refused: refused + Number(isRefused) };
      keep(activity.ofTokens, call.token, counted, MOST_TOKENS);
    },
  };
}

/** @param {Entry} entry @returns {Call} */
function callOf({ at, token, ...entry }) {
  return {
    kind: kindOf(entry),
    at: Date.parse(at),
    token: token?.name ?? '',
    age: (token?.ageSeconds ?? 0) * 1000,
  };
}

/** @param {Pick<Entry, 'status' | 'ended' | 'operation'>} entry @returns {Kind} */
export function kindOf({ status, ended, operation }) {
  if (status === 403) return 'refused';
  if (status >= 300 || ended) return 'other';
  return operation === 'obtainToken' ? 'issued' : 'served';
}

/**
 * @template Value
 * @param {Map<string, Value>} map
 * @param {string} name
 * @param {Value} value
 * @param {number} most
 */
function keep(map, name, value, most) {
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
