/** The requests of a run at a deployment that offers no tokens: its data is open to everybody. */

import type { Observed, Probe } from '../support/evidence.ts';
import type { Run } from './plan.ts';
import { createSender, notSent } from './sender.ts';

export async function observeOpenFeed({
  api,
  clock,
  progress,
}: Pick<Run, 'api' | 'clock' | 'progress'>): Promise<Observed> {
  const send = createSender(clock, progress);
  const read = (what: string): Promise<Probe> => send(what, () => api.readData(what));
  const ask = (what: string, method: 'HEAD' | 'OPTIONS'): Promise<Probe> =>
    send(what, () => api.askData(what, method, api.dataPath));
  const none = notSent('a request with a token', 'The profile says that the deployment offers no tokens.');
  const data = { first: await read('the data'), second: await read('the data again') };
  return {
    token: {
      ...{ valid: none, withAuthorization: none, again: none, withoutGrantType: none, otherGrantType: none },
      ...{ withoutClientId: none, unknownClientId: none, withoutClientSecret: none },
      ...{ emptyClientSecret: none, wrongClientSecret: none },
    },
    data: {
      ...data,
      ...{ third: none, late: none, withoutToken: none, malformedToken: none, otherScheme: none },
      ...{ unknownToken: none, alteredToken: none, alteredClaims: none },
      ...{ expiredToken: none, expiredAgain: none, freshToken: none },
    },
    health: [],
    open: {
      head: await ask('the data by HEAD', 'HEAD'),
      options: await ask('the data by OPTIONS', 'OPTIONS'),
      ...{ withoutSlash: none, another: none, tokenBefore: none, refusedTokens: [] },
    },
    expiry: { kind: 'none' },
  };
}
