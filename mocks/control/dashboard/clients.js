// @ts-check
/** The clients, one lane each. */
import { createClient } from './client.js';
import { part, write } from './dom.js';
import { number } from './words.js';

/** @import { createActivities } from './activity.js' */
/** @import { Client, Scenario, Wire } from './wire.js' */

/** The most that are drawn: others are in the table of calls, and below /__mock/clients. */
const MOST = 40;

/**
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 * @param {() => void} parts.changed
 * @param {ReturnType<typeof createActivities>} parts.activities
 */
export function createClients({ activities, ...parts }) {
  const root = part('lanes', HTMLElement);
  const rest = part('more-clients', HTMLElement);
  /** @type {Map<string, ReturnType<typeof createClient>>} */
  const lanes = new Map();
  /** @type {Client[]} */
  let shown = [];
  /** @type {Scenario[]} */
  let scenarios = [];
  let isLost = false;

  return {
    /** @param {Scenario[]} given @param {boolean} lost whether the journal has lost calls */
    start(given, lost) {
      scenarios = given;
      isLost = lost;
    },
    /** @param {Client[]} clients */
    show(clients) {
      shown = clients.slice(0, MOST);
      const ids = new Set(shown.map(({ id }) => id));
      for (const [id, { root: lane }] of lanes) {
        if (ids.has(id)) continue;
        lane.remove();
        lanes.delete(id);
      }
      for (const { id } of shown) {
        if (lanes.has(id)) continue;
        const lane = createClient(id, { ...parts, scenarios });
        lanes.set(id, lane);
        root.append(lane.root);
      }
      const more = clients.length - shown.length;
      write(rest, more === 0 ? '' : `${number(more)} more clients are not shown.`);
      rest.hidden = more === 0;
    },
    /** @param {number} now */
    draw(now) {
      for (const client of shown) lanes.get(client.id)?.show(client, activities.of(client.id), now, isLost);
    },
  };
}
