/** What a run knows by now, and how it sends a row of the table: its tokens, and the answers so far. */
import type { Clock } from '../../support/clock.ts';
import { partsOf } from '../../support/options.ts';
import type { Secrets } from '../../support/secrets.ts';
import { fromInside, type TokenForm, type ValidForm } from '../forge.ts';
import type { Profile } from '../profile.ts';
import {
  type DataRow,
  mustBeRefused,
  type ProbeRow,
  renewalForm,
  type requests,
  type TokenName,
  type TokenRow,
} from '../requests.ts';
import { firstRead } from '../support/condition.ts';
import { givesData } from '../support/data.ts';
import {
  type Exchange,
  type HealthProbes,
  hasStatus,
  isAnswered,
  isIssued,
  isRefused,
  isServed,
  type NotSent,
  notSent,
  type Probe,
  type Probes,
} from '../support/evidence.ts';
import type { Api, Ask } from './api.ts';
import type { Target } from './target.ts';

/** What the requests of a run are sent with. */
export interface Run {
  target: Target;
  api: Api;
  secrets: Secrets;
  clock: Clock;
  /** What the deployment declares about the open points. */
  profile?: Profile;
  /** Why the run ends before its last request, as a sentence; undefined as long as it goes on. */
  endedEarly?(): string | undefined;
  /** Reports what is being asked or waited for. */
  progress(text: string): void;
}

export type PlannedRow = (typeof requests)[number];
type Unsent = Omit<NotSent, 'what'>;

export const NO_TOKEN = 'No token was obtained (see MRS-4.1a and MRS-2a).';
const NO_EXPIRED_TOKEN = 'There is no expired token, or the deployment issued it again.';
const REFUSED = 'The credentials were refused. They are not sent again: that may lock the client.';

/** After which a valid token that was refused is sent once more. */
const REST_SECONDS = 1;
const FAILURES_BEFORE_GIVING_UP = 3;
/** A failure that took longer counts, also where the deployment has answered before. */
const SLOW_MS = 1000;
/** Enough for every request of a run at a deployment that takes four seconds for each. */
const RUN_SECONDS = 300;

export class Session {
  readonly run: Run;
  readonly probes: Probes = {};
  readonly repeated: Probe[] = [];
  readonly refusedTokens: Probe[] = [];
  readonly health: HealthProbes[] = [];
  readonly tokens: Partial<Record<TokenName, string>> = {};
  /** When the first token was obtained, by the clock, and how long the deployment took to answer with it. */
  firstAtMs = Number.NaN;
  firstTookMs = 0;
  /** Whether the valid credentials were refused. */
  areRefused = false;
  readonly #valid: ValidForm;
  readonly #basic: string;
  /** When the newest token was obtained. */
  newestAtMs = Number.NaN;
  #isRenewable = true;
  /** Whether the last token that took the place of a refused one was accepted. */
  #helpsToRenew = true;
  #endMs: number;
  #hasAnswered = false;
  #failures = 0;
  #lastFailure: string | undefined;

  constructor(run: Run) {
    const { clientId: client_id, clientSecret: client_secret } = run.target;
    this.run = run;
    this.#valid = { grant_type: 'client_credentials', client_id, client_secret };
    this.#basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    this.#endMs = run.clock.now() + RUN_SECONDS * 1000;
  }

  // Requests.

  async sendAll(rows: readonly PlannedRow[]): Promise<void> {
    for (const row of rows) this.probes[row.key] = await this.sendRow(row);
  }

  /** Sends the request of a row, or says why it is not sent. */
  async sendRow(row: ProbeRow): Promise<Probe> {
    return 'by' in row ? this.#read(row) : this.#post(row);
  }

  ask(what: string, request: Ask): Promise<Probe> {
    return this.#send(what, () => this.run.api.ask(what, request));
  }

  /** Unless the run is to end, the deployment has shown that it does not answer, or the run's time is up. */
  async #send(what: string, exchange: () => Promise<Exchange>): Promise<Probe> {
    const { clock, progress } = this.run;
    const last = this.#lastFailure;
    const endedBefore = this.run.endedEarly?.();
    if (endedBefore !== undefined) return notSent(what, endedBefore);
    if (this.#failures === FAILURES_BEFORE_GIVING_UP)
      return notSent(
        what,
        `Not sent: ${this.#failures} requests in a row had no answer; the deployment ${last}.`,
      );
    if (clock.now() >= this.#endMs)
      return notSent(what, 'Not sent: the time of the run is up. The deployment is too slow.');
    progress(`request: ${what}`);
    const done = await exchange();
    this.repeated.push(...this.run.api.takeWaited());
    const ended = this.run.endedEarly?.();
    // The run itself broke off the exchange.
    if (ended !== undefined && done.failure !== undefined) return notSent(what, ended);
    this.extend(done.waitedSeconds ?? 0);
    this.#lastFailure = done.failure;
    this.#hasAnswered ||= done.failure === undefined;
    // One that has answered before may refuse by hanging up; only waiting for it costs time.
    const isLost = !this.#hasAnswered || done.durationMs > SLOW_MS;
    this.#failures = done.failure === undefined ? 0 : this.#failures + Number(isLost);
    return done;
  }

  /** Gives a run more time, where it is the run that makes the deployment wait. */
  extend(seconds: number): void {
    this.#endMs += seconds * 1000;
  }

  /** Asks and renews again after requests without an answer: the deployment has had time to recover. */
  resume(): void {
    this.#failures = 0;
    this.#isRenewable = true;
  }

  async #read({ what, by, accept, aside }: DataRow): Promise<Probe> {
    if (by === 'live') return this.readLive(what);
    if (by === 'inside') return this.#readFromInside(what);
    const given = await this.#credentialsOf(by);
    if ('notSent' in given) return { what, ...given };
    const other = aside && { method: aside.method, path: aside.path(this.run.api.dataPath) };
    return this.ask(what, { ...given, accept, ...other });
  }

  /** With all headers; where that opens the data, with each by itself, to name the one that does. */
  async #readFromInside(what: string): Promise<Probe> {
    const { target, api } = this.run;
    if (target.safe) return { ...notSent(what, 'Left out by choice (--safe).'), isOptional: true };
    const [check = api.dataPath] = target.healthPaths;
    const headers = fromInside(target.baseUrl, partsOf(check)[1] ?? check);
    const all = await this.ask(what, { headers });
    if (!this.#isOpened(all)) return all;
    for (const [name, value] of Object.entries(headers)) {
      const alone = await this.ask(`the data without a token, with ${name}: ${value}`, {
        headers: { [name]: value },
      });
      this.repeated.push(this.#isOpened(alone) ? all : alone);
      if (this.#isOpened(alone)) return alone;
    }
    return all;
  }

  #isOpened(probe: Probe): boolean {
    const read = firstRead(this);
    return isAnswered(probe) && isAnswered(read) && isServed(read) && givesData(probe, read) === true;
  }

  async #post(row: TokenRow): Promise<Probe> {
    const { what } = row;
    const form = this.#formOf(row);
    if ('notSent' in form) return { what, ...form };
    let token: string | undefined;
    const askedAtMs = this.run.clock.now();
    const probe = await this.#send(what, async () => {
      const answer = await this.run.api.obtainToken(what, form, row.withHeader && this.#basic);
      token = answer.token;
      return answer.exchange;
    });
    if (token === undefined || !('id' in probe)) return probe;
    if (row.issues) this.keep(row.issues, token);
    if (row.issues === 'first')
      this.firstTookMs = this.newestAtMs - askedAtMs - (probe.waitedSeconds ?? 0) * 1000;
    return mustBeRefused(row) ? this.#tryToken(probe, token) : probe;
  }

  /** What a form holds, or why it is not sent. */
  #formOf({ post, withHeader, wrongSecret }: TokenRow): TokenForm | Unsent {
    const form = post(this.#valid);
    if (withHeader && (this.tokens.first !== undefined || !isRefused(this.probes['token.valid'])))
      return { notSent: `${NO_TOKEN.slice(0, -1)}, and the form was not refused.` };
    if (wrongSecret && this.run.target.safe)
      return { notSent: 'Left out by choice (--safe): some deployments lock a client for it.' };
    if (form === undefined) return { notSent: 'The credentials give no occasion for it.', isOptional: true };
    if (this.areRefused) return { notSent: REFUSED };
    if (wrongSecret && form.client_secret) this.run.secrets.register(form.client_secret, wrongSecret);
    return form;
  }

  /** Of a form that must not obtain a token. An error may have a field of this name too: whether that is one shows in use. */
  async #tryToken(probe: Exchange, token: string): Promise<Probe> {
    const { what } = probe;
    // With success, the field of a token response holds a token.
    if (isServed(probe) && probe.response?.tokenResponse?.issued) return probe;
    const tried = await this.ask(`the data with what was in the place of a token, for ${what}`, { token });
    this.refusedTokens.push(tried);
    if (isServed(tried) || isRefused(tried)) return withToken(probe, this.#isOpened(tried));
    const why = 'The refusal held what may be a token, and whether it opens the data was not answered.';
    return notSent(what, why);
  }

  /** What a request carries, or why it has nothing to carry. */
  async #credentialsOf(by: Exclude<DataRow['by'], 'live' | 'inside'>): Promise<Ask | Unsent> {
    const { tokens } = this;
    if (by === 'nothing') return {};
    if (by === 'cookies') {
      const cookie = this.run.api.cookies();
      return cookie ? { cookie } : { notSent: 'No answer with the data set a cookie.', isOptional: true };
    }
    if (by === 'credentials') return this.areRefused ? { notSent: REFUSED } : { authorization: this.#basic };
    if (typeof by === 'object') return 'header' in by ? { authorization: by.header() } : this.#forge(by);
    if (by === 'given' && !tokens.given)
      return { notSent: 'MRS_EXPIRED_TOKEN is not set, or is the only expired token.', isOptional: true };
    // An expired token is one only if no later form returned it again.
    const token = by === 'expired' && tokens.expired === tokens.renewed ? undefined : tokens[by];
    return token === undefined ? { notSent: by === 'expired' ? NO_EXPIRED_TOKEN : NO_TOKEN } : { token };
  }

  async #forge({ forged, alias }: Extract<DataRow['by'], { alias: string }>): Promise<Ask | Unsent> {
    await this.#replaceOldToken();
    if (this.newest === undefined) return { notSent: NO_TOKEN };
    if (this.#age >= 1) return { notSent: 'The token has expired, and a new one was not obtained.' };
    const token = forged(this.newest);
    if (token === undefined || Object.values(this.tokens).includes(token))
      return { notSent: 'A token of this form gives no occasion for it.', isOptional: true };
    this.run.secrets.register(token, alias);
    return { token };
  }

  /**
   * Sent without a token, and with one, so that a refusal can be recognized; then once more without a token, since one of
   * two replicas may be wrong. `check` is a path, or a method and a path.
   */
  async checkHealth(check: string, token: string | undefined): Promise<HealthProbes> {
    const [method, path] = partsOf(check) as [NonNullable<Ask['method']>, string];
    const what = `the health check ${check} without a token`;
    const plain = await this.ask(what, { method, path });
    if (method === 'GET' && hasStatus(plain, 405))
      return { plain: await this.ask(`${what}, by HEAD`, { method: 'HEAD', path }) };
    if (token === undefined) return { plain };
    const withToken = await this.ask(`the health check ${check} with the token`, { method, path, token });
    return { plain, withToken, again: await this.ask(`${what} again`, { method, path }) };
  }

  // Tokens.

  /** The token that was obtained last: a deployment may keep only that one alive. */
  get newest(): string | undefined {
    const { newest, another, renewed, first } = this.tokens;
    return newest ?? another ?? renewed ?? first;
  }

  /** Of the newest token, in lifetimes: at 1 it has expired. 0 where the lifetime is not known. */
  get #age(): number {
    const { tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = this.run.target;
    return (this.run.clock.now() - this.newestAtMs) / (tokenLifetimeSeconds * 1000);
  }

  keep(name: TokenName, token: string): void {
    this.tokens[name] = token;
    this.newestAtMs = this.run.clock.now();
    if (name === 'first') this.firstAtMs = this.newestAtMs;
  }

  /** A token that is close to its end would be refused for that, and not for having been altered. */
  async #replaceOldToken(): Promise<void> {
    if (this.#isRenewable && this.newest !== undefined && this.#age >= 0.5)
      this.#isRenewable = await this.renew();
  }

  /** Whether it brought a token. */
  async renew(): Promise<boolean> {
    const probe = await this.sendRow({ ...renewalForm, issues: 'newest' });
    this.repeated.push(probe);
    return isAnswered(probe) && isIssued(probe);
  }

  async readLive(what: string): Promise<Probe> {
    await this.#replaceOldToken();
    const token = this.newest;
    if (token === undefined) return notSent(what, NO_TOKEN);
    const probe = await this.ask(what, { token });
    if (!isRefused(probe)) return probe;
    // A refusal that was cached is over by then; a ban is not.
    this.repeated.push(probe);
    this.extend(REST_SECONDS);
    await this.run.clock.sleep(REST_SECONDS * 1000);
    const again = await this.ask(what, { token });
    if (!isRefused(again) || !this.#helpsToRenew) return again;
    // A new token shows whether only this one is lost.
    if (!(await this.renew()) || this.newest === token) return again;
    this.repeated.push(again);
    const renewed = await this.ask(what, { token: this.newest });
    this.#helpsToRenew = isServed(renewed);
    return renewed;
  }
}

/** The probe, whose answer has turned out to hold a token or not. */
export function withToken(probe: Exchange, issued: boolean): Exchange {
  const { response } = probe;
  if (!response?.tokenResponse) return probe;
  const { takenFrom: _, ...tokenResponse } = response.tokenResponse;
  return { ...probe, response: { ...response, tokenResponse: { ...tokenResponse, issued, unclear: false } } };
}
