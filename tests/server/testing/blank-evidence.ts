/** Evidence of a run that sent nothing, for tests that fill in what they need. */
import { probeKeys } from '../requests/requests.ts';
import type { Evidence } from '../support/evidence.ts';

export function blankEvidence(): Evidence {
  const groups: Record<string, Record<string, object>> = { token: {}, data: {}, open: {} };
  for (const key of probeKeys) {
    const [group = '', name = ''] = key.split('.');
    Object.assign(groups[group] ?? {}, { [name]: { what: 'a request', notSent: 'Nothing was sent.' } });
  }
  const { token, data, open } = groups as unknown as Pick<Evidence, 'token' | 'data' | 'open'>;
  return {
    token,
    data,
    open: { ...open, refusedTokens: [], repeated: [] },
    health: [],
    expiry: { kind: 'none' },
    target: { baseUrl: 'https://mrs.example', clientId: 'station', healthPaths: [] },
    startedAt: '2030-01-01T00:00:00.000Z',
    durationMs: 0,
    requests: 0,
  };
}
