/** Evidence as a run of `mrs verify` would have it, with calls of recorded traffic in the places of its requests. */
import { probeKeys } from '../requests/requests.ts';
import type { ProbeKey } from '../requests/row.ts';
import type { Evidence, Exchange, ExpiryEvidence, NotSent, Probe } from '../support/evidence.ts';

/** Calls by the requests of a run that they take the place of. */
export type Placed = Partial<Record<ProbeKey, Exchange>>;

export interface Circumstances {
  baseUrl: string;
  clientId?: string | undefined;
  lifetimeSeconds?: number | undefined;
  expiry?: ExpiryEvidence;
  /** Whether the renewal brought the token that had expired. */
  renewalRepeats?: boolean;
}

/** The requests that the traffic does not have are optional: it gave no occasion for them. */
const NOT_THERE: NotSent = {
  what: 'a request',
  notSent: 'The traffic does not have the request that this takes.',
  isOptional: true,
};

/** What each frame inherits: there are several for each call of the traffic, and a copy takes long. */
const BLANK = groupsOf(() => NOT_THERE);
Object.assign(BLANK.open, { refusedTokens: [], repeated: [] });

type Group = 'token' | 'data' | 'open';
/** The group and the name of each request, which are not taken apart for each frame. */
const PLACES = new Map<string, [group: Group, name: string]>(
  probeKeys.map((key) => [key, key.split('.') as [Group, string]]),
);

export function frameOf(
  placed: Placed,
  { baseUrl, clientId = '', lifetimeSeconds, expiry = { kind: 'none' }, renewalRepeats }: Circumstances,
): Evidence {
  const groups = {
    token: Object.create(BLANK.token),
    data: Object.create(BLANK.data),
    open: Object.create(BLANK.open),
  };
  let requests = 0;
  for (const key in placed) {
    const [group, name] = PLACES.get(key) ?? ['open', key];
    groups[group][name] = placed[key as ProbeKey];
    requests++;
  }
  return {
    ...groups,
    health: [],
    expiry,
    ...(renewalRepeats !== undefined && { renewalRepeats }),
    target: {
      baseUrl,
      clientId,
      healthPaths: [],
      ...(lifetimeSeconds !== undefined && { tokenLifetimeSeconds: lifetimeSeconds }),
    },
    startedAt: '',
    durationMs: 0,
    requests,
  };
}

/** The same with all probes as members of their own, for what goes through them. */
export const wholeOf = ({ token, data, open, ...rest }: Evidence): Evidence => ({
  ...rest,
  token: { ...BLANK.token, ...token },
  data: { ...BLANK.data, ...data },
  open: { ...BLANK.open, ...open },
});

/** A probe for each request of a run. */
export function groupsOf(probeAt: (key: ProbeKey) => Probe): Pick<Evidence, 'token' | 'data' | 'open'> {
  const groups: Record<string, Record<string, Probe>> = { token: {}, data: {}, open: {} };
  for (const key of probeKeys) {
    const [group = '', name = ''] = key.split('.');
    const members = groups[group];
    if (members) members[name] = probeAt(key);
  }
  return groups as unknown as Pick<Evidence, 'token' | 'data' | 'open'>;
}
