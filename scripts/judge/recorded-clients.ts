/** Which client made a recorded call, and how much the calls of a client show. */
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal/har.ts';
import type { Visible } from '../../tests/client/passive/judge-traffic.ts';
import { OPTION_ADVICE } from '../../tests/support/option-advice.ts';
import type { RecordedCall } from '../../tests/traffic/call.ts';
import { isMasked } from '../../tests/traffic/credentials.ts';
import { FORM_TYPE, fieldNamed } from '../../tests/traffic/exchange.ts';
import { inWords } from '../../tests/traffic/gaps.ts';
import type { TokenHistory, TokenLife } from '../../tests/traffic/tokens.ts';

export const LACKS_HEADERS: Visible = { shown: 'requests', why: inWords({ code: 'lacks-authorization' }) };

export function shownBy(
  calls: readonly RecordedCall[],
  isPublic: boolean,
  history: TokenHistory,
  lifetimeSeconds: number | undefined,
  lifetimeDoubt: string | undefined,
  aliveSeconds = 0,
): Visible {
  const issues = calls.filter(({ kind, status = 0 }) => kind === 'token' && status >= 200 && status < 300);
  if (issues.some(({ hasBody }) => !hasBody))
    return { shown: 'requests', why: 'The file does not have the bodies of all token responses.' };
  if (issues.length > 1 && issues.some((issue) => lacksClient(issue, isPublic)))
    return { shown: 'requests', why: 'The file does not show which clients asked for tokens.' };
  const lives = new Set(issues.map(history.lifeOf));
  if ([...lives].some((life) => life?.isShared))
    return {
      shown: 'requests',
      why: 'The service gave the same token to several clients, so the traffic does not show which of them read.',
    };
  if (lifetimeDoubt !== undefined) return { shown: 'tokens', why: lifetimeDoubt };
  if (lifetimeSeconds !== undefined) return { shown: 'lifetime' };
  if (calls.some((call) => hasEnded(history.lifeOf(call))))
    return {
      shown: 'tokens',
      why: `A token was refused with 403 after it had been accepted, and the traffic does not show how long tokens live. ${OPTION_ADVICE.lifetime}`,
    };
  if (lives.size <= 1) return { shown: 'lifetime' };
  return {
    shown: 'tokens',
    why: `How long tokens live is not known: none was seen to expire. ${OPTION_ADVICE.lifetime}`,
    aliveSeconds,
  };
}

/** The rules that take parts of requests which a file of mrs mock or mrs proxy leaves out, by their ids, with the reason. */
export function leftOutOf(calls: readonly RecordedCall[]): ReadonlyMap<string, string> {
  const ids = new Set<string>();
  for (const { kind, status = 0, form, lacksPlaces, recorded } of calls) {
    if (lacksPlaces) for (const id of ['credentials-place', 'token-place']) ids.add(id);
    if (kind === 'other' && isHiddenPath(recorded.path))
      for (const id of ['token-path', 'data-path']) ids.add(id);
    if (status >= 400 && form?.some(([name, value]) => FORM_NAMES.includes(name) && value === HIDDEN))
      ids.add('form-fields');
  }
  return new Map([...ids].map((id) => [id, inWords({ code: 'left-out' })]));
}

const FORM_NAMES = ['grant_type', 'client_id', 'client_secret'];

/** As it is in an address. */
const isHiddenPath = (path: string): boolean => path.endsWith(encodeURI(HIDDEN_PATH));

/** Whether the recorder left out, or replaced, the id of the client: there may be several. */
const lacksClient = ({ clientId, form, recorded: { headers } }: RecordedCall, isPublic: boolean): boolean =>
  clientId === undefined
    ? isPublic ||
      (form === undefined &&
        /^application\/x-www-form/i.test(fieldNamed(headers, 'content-type') ?? FORM_TYPE))
    : isMasked(clientId);

const hasEnded = (life: TokenLife | undefined): boolean =>
  life?.accepted !== undefined && life.refused?.status === 403 && !life.isSuperseded;

/** Whose calls they are where no token request has an id. */
export const UNNAMED = 'client without an id';

/** By its id in token requests, and by the tokens that these brought; of the only client there is, everything. */
export function clientsOf(calls: readonly RecordedCall[], history: TokenHistory) {
  const ids = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  const [only = UNNAMED, ...more] = ids;
  const clients = new Map<string, RecordedCall[]>();
  let unattributed = 0;
  for (const call of calls) {
    const id = call.clientId ?? history.lifeOf(call)?.clientId ?? (more.length === 0 ? only : undefined);
    if (id === undefined) {
      unattributed++;
      continue;
    }
    const own = clients.get(id);
    if (own) own.push(call);
    else clients.set(id, [call]);
  }
  return { clients, ids, unattributed };
}
