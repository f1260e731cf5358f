/** The judge of clients, plugged into the mock. */
import type { ClientExaminer, ObservedClient } from '../mocks/index.ts';
import type { Certificate } from '../tests/client/certificate.ts';
import type { Examination } from '../tests/client/examination.ts';
import { certificateOf } from '../tests/client/judge.ts';

export interface Examiner extends ClientExaminer {
  certificate(client: ObservedClient): Certificate;
  /** Sets the examination that is under way, or none. */
  show(examination?: Examination): void;
}

export function createExaminer(): Examiner {
  let examination: Examination | undefined;
  return {
    certificate(client) {
      if (examination?.client === client.id) return examination.certificate();
      return certificateOf([runOf(client)]);
    },
    progress: () => examination?.progress(),
    show(next) {
      examination = next;
    },
  };
}

/** What the journal holds of a client that is not led through scenarios, as a single scenario. */
function runOf({ tokenLifetimesSeconds: lifetimesSeconds, processes, traffic }: ObservedClient) {
  const agreedSeconds = lifetimesSeconds[0] ?? 0;
  return {
    traffic: { ...traffic, name: 'journal', agreedSeconds, lifetimesSeconds, processes },
    summary: 'what the journal holds of the client',
    state: traffic.calls.length > 0 ? ('seen' as const) : ('silent' as const),
  };
}
