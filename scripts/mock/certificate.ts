/** The judge of clients, as a mock asks it. */
import type { ObservedClient } from '../../mocks/index.ts';
import { type Certificate, certificateOf } from '../../tests/client/judge.ts';

/** What the journal holds of a client, judged as a single scenario. */
export function certificate({ tokenLifetimesSeconds, processes, traffic }: ObservedClient): Certificate {
  const agreedSeconds = tokenLifetimesSeconds[0] ?? 0;
  const terms = { name: 'journal', agreedSeconds, lifetimesSeconds: tokenLifetimesSeconds, processes };
  return certificateOf([
    {
      traffic: { ...traffic, ...terms },
      summary: 'what the journal holds of the client',
      state: traffic.calls.length > 0 ? 'seen' : 'silent',
    },
  ]);
}
