/** The parts of correct clients, one set for each strategy. */
import type { Parts } from './client.ts';

/** Renews when it is refused, and makes the refused request again. */
export const reactive: Parts = {
  readers: 1,
  start: async () => {},
  beside: async () => {},

  tokenRequest: ({ env }) => ({
    method: 'POST',
    url: `${env.baseUrl}/token/`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: String(
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: env.clientId,
        client_secret: env.clientSecret,
      }),
    ),
  }),

  dataRequest: ({ env }, token) => ({
    method: 'GET',
    url: `${env.baseUrl}/ods_data/`,
    headers: { Accept: 'application/json', Authorization: `Bearer ${token.value}` },
  }),

  send: ({ connections }, request) => connections.send(request),
  choose: async (client) => client.token ?? client.renew(),

  /** Once: what is refused with a fresh token as well is not about its age. */
  async refused(client, token, turn) {
    const again = await client.read(await client.renew(token), turn);
    return again.status === 200;
  },

  tokenFailed: (client, failures, answer) =>
    client.pause(Math.max(Math.min(0.25 * 2 ** failures, 60), answer?.retryAfterSeconds ?? 0)),

  unreachable: async () => {},
};

/** Renews by its clock when `share` of the agreed lifetime is over. */
export const renewingAt = (share: number): Pick<Parts, 'choose'> => ({
  async choose(client) {
    const { token, env, clock } = client;
    const isYoung = token && clock.now() - token.askedAt < 1000 * share * env.tokenLifetimeSeconds;
    return isYoung ? token : client.renew();
  },
});

/** For clients that leave a 403 as it is. */
export const leavesRefusals: Pick<Parts, 'refused'> = { refused: async () => false };

/** Renews by its clock, and by nothing else. */
export const proactive: Partial<Parts> = { ...renewingAt(0.8), ...leavesRefusals };
