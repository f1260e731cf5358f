/** What the options of startMock mean. Its types need nothing of Node.js, so a user's project need not know them either. */
import type { Duration } from './contract/control-types.ts';
import type { ClientExaminer } from './control/client-examiner.ts';
import type { MockClient } from './state/clients.ts';

export interface MockOptions {
  /** Port to listen on; default 0: any free port. */
  port?: number;
  /** Address to listen on; default 127.0.0.1, which other machines cannot reach. */
  host?: string;
  /** A list, or an object by id. Default: `demo` with the secret `demo-secret`, and a client for each scenario. */
  clients?: readonly MockClient[] | Readonly<Record<string, Omit<MockClient, 'id'>>>;
  /** Whether there is a client for each scenario, such as `demo-expires-every-3`; default: only without `clients`. */
  scenarios?: boolean;
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
  /**
   * A key of at least 32 bytes, secret and shared with other mocks: each accepts, expires and refuses the tokens of the others,
   * also after a restart. What only one of them could know or do is refused, such as a script or an early expiry.
   */
  tokenKey?: string | Uint8Array;
  /** Seed for tokens, jitter and delays, for reproducible runs; default: random. */
  seed?: string;
  /** Lets pages of other origins call the API, though never the control API (CORS); default true. */
  cors?: boolean;
  /** Explains each answer in headers such as `x-mock-reason`; default false. */
  explain?: boolean;
  /** Number of exchanges that the journal keeps; default 10,000. 0 turns it off, and saves the time that it takes. */
  journalSize?: number;
  /** The time that the mock's clock is based on, in milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** How it waits before and within an answer that a script delays; rejects when `signal` is aborted. Default: real time. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Key of the control API below /__mock; default: random. `false` disables the API. */
  controlKey?: string | false;
  /** Judges clients for `GET /__mock/certificate` and the page; default: none. */
  examiner?: ClientExaminer;
  /** Called with an exception inside the mock, which answers 500; default: prints it on standard error. */
  onFault?: (error: unknown) => void;
}
