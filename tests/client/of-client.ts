/** The certificate of a client that nobody led through scenarios, and of one that is being led. */

import { trafficOf } from '../../mocks/journal/traffic.ts';
import type { Client } from '../../mocks/state/clients.ts';
import type { State } from '../../mocks/state/state.ts';
import type { Certificate } from './certificate.ts';
import { certificateOf } from './judge.ts';

/**
 * What the journal says of the client, as one scenario. While it is examined: what the examination has seen, which knows
 * what the client was to meet.
 */
export function certificateOfClient(
  state: Pick<State, 'journal' | 'tokens' | 'examination'>,
  { id, tokenLifetimesSeconds: lifetimesSeconds }: Client,
  processes = 1,
): Certificate {
  if (state.examination?.client === id) return state.examination.certificate();
  const traffic = trafficOf(state, id);
  const agreedSeconds = lifetimesSeconds[0] ?? 0;
  return certificateOf([
    {
      scene: { ...traffic, name: 'journal', agreedSeconds, lifetimesSeconds, processes },
      summary: 'what the journal holds of the client',
      state: traffic.calls.length > 0 ? 'seen' : 'silent',
    },
  ]);
}
