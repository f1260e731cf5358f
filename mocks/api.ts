/** The types that users of the package see. They need nothing of Node.js, so a user's project need not know its types. */
import type { MockClient } from './clients.ts';
import type { Clock } from './clock.ts';
import type {
  ClientTerms,
  Duration,
  Entry,
  Expectation,
  Filter,
  Step,
  TokenStatus,
  Verified,
} from './contract/control-contract.ts';

/** What the options of startMock mean. */
export interface MockOptions {
  /** Port to listen on; default 0: any free port. */
  port?: number;
  /** Address to listen on; default 127.0.0.1, which other machines cannot reach. */
  host?: string;
  /** Default: `demo` with the secret `demo-secret`. A client for each scenario, such as `demo-expires-every-3`, appears when it asks. */
  clients?: readonly MockClient[];
  /** Lifetime of the tokens of clients without a lifetime of their own; default: the contract's. */
  tokenLifetime?: Duration;
  /** Path before every path, such as `/api/v1`; default none. */
  basePath?: string;
  /** What the deployment declares about the open points: name of a profile, or its file; default `specification`. */
  profile?: string;
  /**
   * The data: number of records that follow the mock's clock, or name of a JSON file. Default: 20 if the profile
   * defines a record, otherwise the contract's example. Without a profile, records have the shape that NRAO documents.
   */
  records?: number | string;
  /** Name of a defect, which makes the mock violate the specification, such as `never-expires`; default none. */
  defect?: string;
  /** Name of a variant, which differs where the specification is open, such as `token-4-kib`; default none. */
  variant?: string;
  /** `frozen` stops the mock's clock at the start: time advances only on request; default `real`. */
  clock?: 'real' | 'frozen';
  /** Start of the mock's clock, as a date; default: now, or 2030-01-01T00:00:00Z for a frozen clock with a seed. */
  startsAt?: string;
  /** Seed for tokens, for reproducible runs; default: random. */
  seed?: string;
  /** The time that the mock's clock is based on, in milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** How it waits before and within an answer that a script delays; rejects when `signal` is aborted. Default: real time. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Key of the control API below /__mock; default: random. `false` disables the API. */
  controlKey?: string | false;
  /** Judges clients for `GET /__mock/certificate`; default: none. */
  examiner?: ClientExaminer;
  /** Finds `defect` and `variant`; default: the mock has none. */
  deployments?: FindDeployments;
  /** Finds the secrets of clients in what the journal shows; without it, the journal shows no path that could hold one. */
  secrets?: Secrets;
  /** Called with an exception inside the mock, which answers 500; default: prints it on standard error. */
  onFault?: (error: unknown) => void;
}

export interface Handles {
  readonly clients: readonly ClientHandle[];
  /** The clock that decides about tokens; a test may move it. */
  readonly clock: ClockHandle;
  /** The client with this id. Throws MockError if there is none. */
  client(id: string): ClientHandle;
  /** Throws MockError for an invalid client. */
  addClient(client: MockClient): ClientHandle;
  /** The recorded exchanges, oldest first. Throws MockError for a filter that nothing can match, such as an unknown reason. */
  journal(filter?: Filter): Entry[];
  /** Whether the number of calls is as expected. */
  verify(expected: Expectation): Verified;
  /** The client's calls and tokens, for a judge of clients. */
  traffic(client: string): Traffic;
  /** Calls `listener` with each token that a client is given, and its name, such as `acme#3`. */
  onToken(listener: (value: string, name: string) => void): () => void;
  /** Calls `listener` with each exchange as it ends, until the returned function is called. */
  onExchange(listener: (entry: Entry) => void): () => void;
  /** Returns a function that restores clock, clients, tokens and scripts as they are now. */
  snapshot(): () => void;
  /** Restores the start, with an empty journal. */
  reset(): void;
}

interface ClockHandle extends Omit<Clock, 'advance' | 'save'> {
  /** Moves the clock, which may be backwards. Throws RangeError for an invalid duration and a time outside the calendar. */
  advance(by: Duration): void;
  /**
   * Moves the clock to the expiry of the client's next valid token, plus `delta`: '-1s' is one second before it. Without
   * a client: the next token of any. Throws MockError if there is no such client or no valid token.
   */
  advanceToExpiry(client?: string, delta?: Duration): void;
}

export interface ClientHandle {
  readonly id: string;
  readonly secret: string;
  /** In seconds, of its first token, its second and so on; the last value is for all that follow. */
  readonly tokenLifetimesSeconds: readonly number[];
  /** Its latest 100 tokens, oldest first; by name, as in the journal. */
  tokens(): TokenHandle[];
  /** Expires its tokens: a call with one is answered with 403. Returns how many were valid. */
  expire(): number;
  /** Revokes its tokens: the mock does not know them any more. Returns how many were valid. */
  revoke(): number;
  /** Replaces its script and restarts the count of its calls at 1. Throws MockError for an invalid script. */
  script(steps: readonly Step[]): void;
  /** Throws MockError for invalid terms. */
  change(terms: ClientTerms): void;
  journal(filter?: Omit<Filter, 'client'>): Entry[];
  verify(expected: Omit<Expectation, 'client'>): Verified;
}

export interface TokenHandle {
  readonly name: string;
  /** Its current status. */
  readonly status: TokenStatus;
  expire(): void;
  revoke(): void;
}

/** A secret or a token in a part of the request where it must not be. */
export interface CredentialLeak {
  what: 'token' | 'client_secret';
  where: 'query' | 'path' | 'body' | 'header';
}

/** How the connection ended if the answer was not sent completely; `gone`: the client had left. */
export type ConnectionOutcome = 'reset' | 'cut' | 'gone' | undefined;

/** A request of one client and its answer, for a judge of clients. Times are milliseconds since its first call began. */
export interface Call {
  /** Counts from 1, in the order in which requests arrived. */
  id: number;
  /** `other`: the request matched no operation of the contract. */
  kind: 'token' | 'data' | 'health' | 'other';
  /** When the request arrived and when its answer had been sent, in real time. */
  startMs: number;
  endMs: number;
  /** When the mock decided the answer, on its clock, which decides about tokens. */
  atMs: number;
  method: string;
  /** Without the query. Segments that are too long, such as a token, are left out. */
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two calls with the same method and target; does not reveal the target. */
  target: string;
  status: number;
  /**
   * Why it was answered this way: the name of the contract's example, `expired-on-order`, `revoked`, `script`, `no-path` or
   * `no-method`.
   */
  reason: string;
  /** How the connection ended if the answer was not sent completely. */
  ended?: ConnectionOutcome;
  /** Number of the token that was sent or issued; the client's first is 1. */
  token?: number | undefined;
  /** The status of that token when the call was answered. */
  standing?: 'valid' | 'expired' | 'unknown' | undefined;
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional?: true | undefined;
  accept?: string | undefined;
  contentType?: string | undefined;
  authorization?: 'bearer' | 'malformed' | undefined;
  /** Names of the form fields. */
  fields?: readonly string[] | undefined;
  /** Secrets and tokens in parts of the request where they must not be. */
  misplaced: readonly CredentialLeak[];
  /** The answer's `Retry-After`. */
  retryAfterSeconds?: number | undefined;
}

/** The lifetime of a token, on the same axis as `atMs`. */
export interface Life {
  number: number;
  issuedMs: number;
  expiresMs: number;
  /** When it was ended before its lifetime was over. */
  endedMs?: number;
}

export interface Traffic {
  calls: readonly Call[];
  lives: readonly Life[];
  /** From the first call until now, in real time. */
  durationMs: number;
  /** Number of exchanges that the journal no longer holds. */
  lost: number;
}

/** A client, with all that the journal holds of it. */
export interface ObservedClient {
  id: string;
  /** In seconds, of its first token, its second and so on; the last is for all that follow. */
  tokenLifetimesSeconds: readonly number[];
  /** Number of processes that share its id. */
  processes: number;
  traffic: Traffic;
}

/** Where the search for secrets is plugged in: the mock registers the secret of each client, also one that is replaced later. */
export interface Secrets {
  register(value: string, alias: string): void;
  /** The text with an alias in the place of each registered secret. */
  redact(text: string): string;
  /** The aliases of the registered secrets that the text holds. */
  leaks(text: string): readonly string[];
}

/**
 * Where defects and variants are plugged in: resolves to functions that replace parts of the mock, in their order. Rejects
 * with MockError for an unknown name.
 */
export type FindDeployments = (
  wanted: Pick<MockOptions, 'defect' | 'variant' | 'profile'>,
) => Promise<readonly ((parts: never) => object)[]>;

/** Where a judge of clients is plugged in. The mock has none: it hands over what a client did, and serves the verdict. */
export interface ClientExaminer {
  /** The verdict on what the client did, for `GET /__mock/certificate`. */
  certificate(client: ObservedClient): object | Promise<object>;
}
