/** The mock in process: `await using mock = await startMock()`. */
import type { Expectation, Verified, Entry, Duration, Filter, Action, Step } from './contract/control-types.ts';
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadContract } from './contract/contract.ts';
import { MockError } from './contract/mock-error.ts';
import type { Assumption, Operation } from './contract/operation.ts';
import { loadProfile, SPECIFICATION } from './contract/profile.ts';
import type { ClientExaminer, ObservedClient } from './control/client-examiner.ts';
import { createControl, isControl } from './control/control.ts';
import { defects } from './deployments/defects.ts';
import type { Deployment, Override } from './deployments/deployment.ts';
import { findDeployment } from './deployments/find-deployment.ts';
import { variants } from './deployments/variants.ts';
import { engineFor } from './engine/prism-engine.ts';
import { type ClientHandle, type ClockHandle, createHandles, type Handles } from './handles.ts';
import type { Call, Life, Traffic } from './journal/traffic.ts';
import { plainHooks } from './pipeline/hooks.ts';
import { createMockServer } from './pipeline/server.ts';
import { createRecords, declaredIn } from './records/records.ts';
import { demoClient, type MockClient } from './state/clients.ts';
import { createClock } from './state/clock.ts';
import { createRandom } from './state/random.ts';
import { createState } from './state/state.ts';

export type {
  Action,
  Assumption,
  Call,
  ClientExaminer,
  ClientHandle,
  ClockHandle,
  Duration,
  Entry,
  Expectation,
  Filter,
  Life,
  MockClient,
  ObservedClient,
  Operation,
  Step,
  Traffic,
  Verified,
};
export { MockError };

export interface MockOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Address to listen on; default 127.0.0.1, so that nobody else reaches the mock. */
  host?: string;
  /** A list, or by id. Default: `demo` with the secret `demo-secret`, and a client for each scenario. */
  clients?: readonly MockClient[] | Readonly<Record<string, Omit<MockClient, 'id'>>>;
  /** Whether there is a client for each scenario, such as `demo-expires-every-3`; default: where no clients are given. */
  scenarios?: boolean;
  /** Lifetime of the tokens of clients that have none of their own; default: the contract's. */
  tokenLifetime?: Duration;
  /** Path before every path, such as `/api/v1`; default none. */
  basePath?: string;
  /** What the deployment declares about the open points: a profile's name, or its file; default `specification`. */
  profile?: string;
  /**
   * The data: how many records of a schedule on the mock's clock, or the name of a JSON file. Default: 20 under a
   * profile that says what a record is, and else the contract's example.
   */
  records?: number | string;
  /** Name of a way in which the mock shall break the specification, such as `never-expires`; default none. */
  defect?: string;
  /** Name of a way in which it shall differ where the specification is open, such as `token-4-kib`; default none. */
  variant?: string;
  /** `frozen` stops the mock's clock at the start, so that it moves where it is moved alone; default `real`. */
  clock?: 'real' | 'frozen';
  /** When the mock's clock starts, as a date; default: now, or 2030-01-01T00:00:00Z where it is frozen and seeded. */
  startsAt?: string;
  /** What tokens, jitter and delays are drawn from, so that they come again; default: a new one each time. */
  seed?: string;
  /** Says in headers, such as `x-mock-reason`, why it answered as it did; default false. */
  explain?: boolean;
  /** How many exchanges the journal keeps, the latest; default 10,000. */
  journalSize?: number;
  /** The time underneath the mock's clock, in milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** What a test shows to move the mock from outside, below /__mock; default: a new one. `false`: nobody can. */
  controlKey?: string | false;
  /** Judges clients for `GET /__mock/certificate` and the page; default: none. */
  examiner?: ClientExaminer;
  /** Told of an exception inside the mock, which answers 500 then; default: prints it on standard error. */
  onFault?: (error: unknown) => void;
}

/** All of them: the compiler asks for each. */
const KNOWN: Record<keyof MockOptions, true> = {
  ...{ port: true, host: true, clients: true, scenarios: true, tokenLifetime: true, basePath: true },
  ...{ defect: true, variant: true, clock: true, startsAt: true, seed: true, explain: true, now: true },
  ...{ journalSize: true, profile: true, records: true },
  ...{ controlKey: true, examiner: true, onFault: true },
};
const OPTIONS = Object.keys(KNOWN);

/** A mock that listens. */
export interface Mock extends Handles, AsyncDisposable {
  /** Base address, with the base path and without a slash at its end. */
  readonly url: string;
  /** Name of the profile; `specification` where nothing is declared. */
  readonly profile: string;
  /** What can be asked for. */
  readonly operations: readonly Operation[];
  /** Paths of the health checks, which the specification leaves open; without the base path. */
  readonly healthPaths: readonly string[];
  /** The choices that the mock makes where the specification is open. */
  readonly assumptions: readonly Assumption[];
  /** The key of the control; undefined where there is none. */
  readonly controlKey: string | undefined;
  /** Stops listening and cuts every open connection. May be called again. */
  close(): Promise<void>;
}

/** Starts a mock. Throws MockError for options that cannot be used and addresses that cannot be had. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const unknownKey = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknownKey)
    throw new MockError(`"${unknownKey}" is no option of startMock. There are ${OPTIONS.join(', ')}.`);
  if (![undefined, 'real', 'frozen'].includes(options.clock))
    throw new MockError(`The clock is "${options.clock}". Give 'real' or 'frozen'.`);
  const { port = 0, host = '127.0.0.1', onFault = console.error } = options;
  if (typeof host !== 'string' || host === '')
    throw new MockError(
      'The host is empty, which would be every address. Give 127.0.0.1, or 0.0.0.0 if that is meant.',
    );
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new MockError(`${port} is no port. Give a whole number from 0 to 65535; 0 takes any free port.`);
  const basePath = readBasePath(options.basePath ?? '');
  const contract = loadContract(await loadProfile(options.profile ?? SPECIFICATION));
  const clients = listOf(options.clients);
  if (clients.length === 0)
    throw new MockError(
      'The list of clients is empty, so nobody could obtain a token. Give one, or no list at all.',
    );
  const clock = createClock(options.now);
  const start = startOf(options);
  if (options.clock === 'frozen') clock.freeze();
  if (start !== undefined) clock.set(start);
  const state = createState({
    contract,
    clock,
    random: createRandom(options.seed ?? randomBytes(32)),
    clients,
    tokenLifetime: options.tokenLifetime ?? contract.tokenLifetimeSeconds,
    scenarios: options.scenarios ?? options.clients === undefined,
    journalSize: readJournalSize(options.journalSize),
  });
  const engine = await engineFor(contract);
  const explain = options.explain ?? false;
  const declared = declaredIn(contract.document);
  const records = createRecords({ given: options.records, declared, random: state.random, onFault });
  records?.body(clock.now()); // No client waits until the first hundred thousand are made.
  const parts = {
    ...{ ...plainHooks, contract, engine, state, tokens: state.tokens, basePath, explain, onFault },
    ...(records && { records }),
  };
  for (const override of overridesOf(options)) Object.assign(parts, override({ ...parts }));
  const controlKey = readControlKey(options.controlKey);
  const control =
    controlKey &&
    createControl({ contract, state, key: controlKey, host, basePath, examiner: options.examiner });
  const server = createMockServer({ ...parts, ...(control && { control }) });
  await listen(server, port, host);

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(createHandles(state), {
    url: `http://${reachable(host)}:${(server.address() as AddressInfo).port}${parts.basePath}`,
    profile: contract.profile,
    operations: contract.operations,
    healthPaths: parts.contract.operations.filter(({ id }) => id === 'checkHealth').map(({ path }) => path),
    assumptions: contract.assumptions,
    controlKey,
    close,
    [Symbol.asyncDispose]: close,
  });
}

function listOf(clients: MockOptions['clients'] = [demoClient]): readonly MockClient[] {
  if (Array.isArray(clients)) return clients;
  return Object.entries(clients).map(([id, terms]) => ({ ...terms, id }));
}

/** In milliseconds; undefined: now. */
function startOf({ startsAt, clock, seed }: MockOptions): number | undefined {
  if (startsAt === undefined)
    return clock === 'frozen' && seed !== undefined ? Date.UTC(2030, 0, 1) : undefined;
  const start = Date.parse(startsAt);
  if (!Number.isNaN(start)) return start;
  throw new MockError(`startsAt is "${startsAt}", which is no date. Write it as 2030-01-01T00:00:00Z.`);
}

function readJournalSize(size = 10_000): number {
  if (Number.isInteger(size) && size >= 1 && size <= 1_000_000) return size;
  throw new MockError(`${size} is no size of a journal. Give a whole number from 1 to 1000000.`);
}

/** A key travels in a header, as a token does (RFC 6750 section 2.1). */
function readControlKey(given: string | false = randomBytes(24).toString('base64url')): string | undefined {
  if (given === false) return undefined;
  if (/^[\w.~+/-]+=*$/.test(given)) return given;
  throw new MockError(
    'The control key cannot stand in a header. Give letters, digits and any of . _ ~ + / - instead.',
  );
}

function overridesOf({ variant, defect, profile: given = SPECIFICATION }: MockOptions): Override[] {
  const found: Deployment[] = [];
  if (variant !== undefined) found.push(findDeployment(variants, variant, 'variant'));
  if (defect !== undefined) found.push(findDeployment(defects, defect, 'defect'));
  for (const { name, profile } of found)
    if (profile !== undefined && given === SPECIFICATION)
      throw new MockError(`"${name}" lives under the profile ${profile}. Give that beside it.`);
  return found.map(({ override }) => override);
}

function readBasePath(given: string): string {
  const basePath = given.replace(/\/+$/, '');
  if (isControl(basePath))
    throw new MockError(`"${given}" is where the control of the mock is. Give another base path.`);
  if (/^(\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(basePath)) return basePath;
  throw new MockError(
    `"${given}" is no base path. Begin it with a slash, and write it as in a URL: /api/v1.`,
  );
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new MockError(listenProblem(error, port, host))));
    server.listen(port, host, resolve);
  });
}

function listenProblem({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use. Free it, or give another one; 0 takes any that is free.`;
  if (code === 'EACCES')
    return `Port ${port} of ${host} may not be used by this user. Give a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${host} is no address of this machine. Give 127.0.0.1, or 0.0.0.0 to be reached from outside.`;
  return `The mock cannot listen on port ${port} of ${host}: ${message}.`;
}

/** An address that a client can connect to: the wildcard addresses are none, and IPv6 wants brackets. */
function reachable(host: string): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return address.includes(':') ? `[${address}]` : address;
}
