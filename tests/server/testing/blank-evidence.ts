/** Evidence of a run that sent nothing, for tests that fill in what they need. */
import { type Evidence, groupsOf } from '../support/evidence.ts';

export function blankEvidence(): Evidence {
  return {
    ...groupsOf(() => ({ what: 'a request', notSent: 'Nothing was sent.' })),
    health: [],
    expiry: { kind: 'none' },
    target: { baseUrl: 'https://mrs.example', clientId: 'station', healthPaths: [] },
    startedAt: '2030-01-01T00:00:00.000Z',
    durationMs: 0,
    requests: 0,
  };
}
