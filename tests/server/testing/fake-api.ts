/** A deployment behind the interface of a run, without HTTP. */
import { createVirtualClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import type { TokenForm, ValidForm } from '../forge.ts';
import type { Api } from '../probe/api.ts';
import { sendRequests } from '../probe/run.ts';
import type { Run } from '../probe/session.ts';
import type { Target } from '../probe/target.ts';
import type { ProbeKey } from '../requests.ts';
import type { Exchange, Observed, Probe, Probes, Response } from '../support/evidence.ts';

const credentials = { clientId: 'station', clientSecret: 'hunter2' };
export const validForm: ValidForm = {
  grant_type: 'client_credentials',
  client_id: credentials.clientId,
  client_secret: credentials.clientSecret,
};

export const isValid = (form: TokenForm): boolean =>
  Object.entries(validForm).every(([name, value]) => form[name as keyof TokenForm] === value);

export interface Script {
  tokens?(form: TokenForm, authorization?: string): number;
  /** `uses` counts the calls with this token. */
  data?(token: string | undefined, uses: number): number;
  health?(token: string | undefined, method: string): number;
  /** What is in the place of a token in an answer that refuses. */
  given?: string;
  /** Where a token is that is not in the field `token`. */
  takenFrom?: string;
  /** The time of each request, in milliseconds; otherwise its number. */
  now?(): number;
  /** Whether the `nth` request has no answer. */
  down?(nth: number): boolean;
  /** The answer to the `nth` request, whatever it asks for; undefined where it is answered as it should be. */
  instead?(nth: number, sent: Sent): Response | undefined;
}

export interface Sent {
  what: string;
  form?: TokenForm;
  authorization?: string | undefined;
  token?: string | undefined;
  path?: string;
}

/** An Api that answers by `script`, and otherwise correctly: the first token opens the data six times, then it expires. */
export function fakeApi(script: Script = {}): Api & { sent: Sent[] } {
  const sent: Sent[] = [];
  const uses = new Map<string | undefined, number>();
  let issued = 0;
  const {
    tokens = (form) => (isValid(form) ? 200 : 400),
    data = (token, nth) =>
      /^issued-token-\d+$/.test(token ?? '') ? first((uses) => uses > 6)(token, nth) : 401,
    health = () => 200,
    given,
    takenFrom,
    down = () => false,
    instead = () => undefined,
  } = script;

  const exchange = (one: Sent, status: number): Exchange => {
    sent.push(one);
    const nth = sent.length;
    const request = { ...(one.form ? FORM : READ), headers: [] };
    const sentAtMs = script.now?.() ?? nth;
    const record = { id: `x${nth}`, what: one.what, request, sentAtMs, durationMs: 0 };
    if (down(nth)) return { ...record, failure: 'refused the connection' };
    const other = instead(nth, one);
    if (other) return { ...record, response: other };
    return { ...record, response: answerOf(one, status) };
  };

  return {
    sent,
    takeWaited: () => [],
    cookies: () => undefined,
    async obtainToken(what, form, authorization) {
      const answer = exchange({ what, form, authorization }, tokens(form, authorization));
      if (given !== undefined && answer.response && answer.response.status !== 200) {
        const response = { ...answer.response, tokenResponse: ISSUED };
        return { exchange: { ...answer, response }, token: given };
      }
      if (answer.response?.status !== 200 || answer.response.mediaType === 'text/html')
        return { exchange: answer };
      if (takenFrom !== undefined) {
        const tokenResponse = { issued: false, takenFrom, unclear: false, mismatches: [] };
        answer.response = { ...answer.response, tokenResponse };
      } else answer.response = { ...answer.response, tokenResponse: ISSUED };
      return { exchange: answer, token: `issued-token-${++issued}` };
    },
    dataPath: '/ods_data/',
    counter: () => (exchange) => exchange,
    async ask(what, { method = 'GET', path, authorization, token = authorization?.split(' ')[1] } = {}) {
      if (path?.startsWith('/ods_data')) return exchange({ what, token, path }, 405);
      if (path !== undefined) return exchange({ what, path, token }, health(token, method));
      const nth = (uses.get(token) ?? 0) + 1;
      uses.set(token, nth);
      return exchange({ what, token }, data(token, nth));
    },
  };
}

/** A body of its own for each kind of answer. */
function answerOf({ form, path }: Sent, status: number): Response {
  const kind = status >= 300 ? 'error' : form ? 'token' : path ? 'up' : 'requests';
  const described = {
    fields: [kind],
    filled: [kind],
    ...(kind === 'requests' && { recordFields: ['number'] }),
  };
  const json = { wellFormed: true, type: 'object', empty: false, ...described } as const;
  return {
    status,
    mediaType: 'application/json',
    headers: [],
    bodyBytes: 20,
    digest: kind,
    excerpt: '',
    json,
  };
}

const FORM = { method: 'POST', path: '/token/' };
const READ = { method: 'GET', path: '/' };
const ISSUED = { issued: true, unclear: false, mismatches: [] };

/** Each token opens the data, and the first is answered with `status` after this number of uses, or from an age on. */
export const first =
  (isOver: (uses: number) => boolean, status = 403) =>
  (token: string | undefined, uses: number): number =>
    token === 'issued-token-1' && isOver(uses) ? status : token ? 200 : 401;

const target: Target = {
  baseUrl: 'http://mrs.example',
  ...credentials,
  tokenLifetimeSeconds: 10,
  healthPaths: ['/health/'],
  maxWaitSeconds: 120,
  timeoutSeconds: 10,
  safe: false,
};

/** A run of the whole plan against it. */
export function run(api: Api, to: Target = target, more: Partial<Run> = {}) {
  return sendRequests({
    target: to,
    api,
    secrets: createSecrets(),
    clock: createVirtualClock(),
    progress: () => {},
    ...more,
  });
}

export const statusOf = (probe: Probe | undefined) =>
  probe && 'id' in probe ? probe.response?.status : undefined;

export interface Played extends Observed {
  probes: Required<Probes>;
  sent: ReturnType<typeof fakeApi>['sent'];
  /** The token of a request. */
  used(key: ProbeKey): string | undefined;
}

/** A run against a script, with what was sent. */
export async function play(script: Script = {}, to: Partial<Target> = {}, more = {}): Promise<Played> {
  const api = fakeApi(script);
  const observed = await run(api, { ...target, ...to }, more);
  const probes = observed.probes as Required<Probes>;
  const used = (key: ProbeKey) => api.sent.find(({ what }) => what === probes[key].what)?.token;
  return { ...observed, probes, sent: api.sent, used };
}

/** The status of the answer, or why the request was not sent. */
export const outcomeOf = (probe: Probe) => ('notSent' in probe ? probe.notSent : statusOf(probe));
