/** The parts of correct clients, and how clients are made of them. */
import {
  Client,
  type ClientEnvironment,
  type Outgoing,
  type Parts,
  type RunningClient,
  type Token,
} from './client.ts';

/** Renews when it is refused, and makes the refused request again. */
export const reactive: Parts = {
  processes: 1,
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

  send: (client, request) => client.exchange(request),
  choose: async (client) => client.token ?? client.renew(),

  /** Once: what is refused with a fresh token as well is not about its age. */
  refused: async (client, token, turn) => client.reread(await client.renew(token), turn),

  tokenFailed: (client, failures, answer) =>
    client.pause(Math.max(Math.min(0.25 * 2 ** failures, 60), answer?.retryAfterSeconds ?? 0)),

  unreachable: async () => {},
};

/** Renews by its clock, as soon as `isOld`. */
const renewingWhen = (
  isOld: (ageSeconds: number, lifetimeSeconds: number) => boolean,
  renew = (client: Client) => client.renew(),
): Pick<Parts, 'choose'> => ({
  async choose(client) {
    const { token, env, clock } = client;
    const isUsable = token && !isOld((clock.now() - token.askedAt) / 1000, env.tokenLifetimeSeconds);
    return isUsable ? token : renew(client);
  },
});

/** When `share` of the agreed lifetime is over. */
export const renewingAt = (
  share: number,
  renew?: (client: Client) => Promise<Token>,
): Pick<Parts, 'choose'> => renewingWhen((age, lifetime) => age >= share * lifetime, renew);

/** This number of seconds before the agreed expiry. */
export const renewingBefore = (reserveSeconds: number): Pick<Parts, 'choose'> =>
  renewingWhen((age, lifetime) => lifetime - age <= reserveSeconds);

/** For clients that leave a 403 as it is. */
export const leavesRefusals: Pick<Parts, 'refused'> = { refused: async () => false };

/** Renews by its clock, and by nothing else. */
export const proactive: Partial<Parts> = { ...renewingAt(0.8), ...leavesRefusals };

/** Asks for a token as a correct client does, but for what `change` makes of it. */
export const asking = (
  change: (right: Outgoing, client: Client) => Partial<Outgoing>,
): Pick<Parts, 'tokenRequest'> => ({
  tokenRequest(client) {
    const right = reactive.tokenRequest(client);
    return { ...right, ...change(right, client) };
  },
});

/** Reads as a correct client does, but for what `change` makes of it. */
export const reading = (
  change: (right: Outgoing, token: Token, client: Client, turn: number) => Partial<Outgoing>,
): Pick<Parts, 'dataRequest'> => ({
  dataRequest(client, token, turn) {
    const right = reactive.dataRequest(client, token, turn);
    return { ...right, ...change(right, token, client, turn) };
  },
});

/** Asks for one of five pages on each turn, and so shows which request was made again. */
export const pages = reading(({ url }, _token, _client, turn) => ({ url: `${url}?page=${1 + (turn % 5)}` }));

/** What the variables of the examination say. */
export const environmentIn = (variables: Readonly<Record<string, string | undefined>>) => ({
  baseUrl: variables.MRS_BASE_URL ?? '',
  clientId: variables.MRS_CLIENT_ID ?? '',
  clientSecret: variables.MRS_CLIENT_SECRET ?? '',
  tokenLifetimeSeconds: Number(variables.MRS_TOKEN_LIFETIME),
});

/** Starts a correct client that renews when it is refused, with the parts of `behaviour` instead of its own. */
export function runClient(env: ClientEnvironment, behaviour: Partial<Parts>): RunningClient {
  const client = new Client(env, { ...reactive, ...behaviour });
  const ended = client.run();
  return {
    ended,
    async stop() {
      client.end();
      await ended;
    },
  };
}
