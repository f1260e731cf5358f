/** Health checks now and then, beside the reading. */
import type { Client, Parts } from './client.ts';

/**
 * The specification does not show where they are: MRS_HEALTH_PATH says it, as a service's operator would.
 * Whether the service answers is nothing to the reading.
 */
const PATH = process.env.MRS_HEALTH_PATH ?? '/health/';

export const checkingHealth = (
  headersOf: (client: Client) => Record<string, string>,
): Pick<Parts, 'beside'> => ({
  async beside(client) {
    if (client.turns % 3 !== 1) return;
    const headers = { Accept: 'application/json', ...headersOf(client) };
    await client.send({ method: 'GET', url: client.env.baseUrl + PATH, headers }).catch(() => {});
  },
});
