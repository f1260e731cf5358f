/** The mock in process: `await using mock = await startMock()`. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClients, demoClient, type MockClient } from './clients.ts';
import { type Clock, createClock } from './clock.ts';
import { type Assumption, loadContract } from './contract.ts';
import { createControl, isControl } from './control.ts';
import { defects } from './defects.ts';
import type { Twist } from './deployment.ts';
import { engineFor } from './engine.ts';
import { findDeployment } from './find-deployment.ts';
import { noHooks } from './hooks.ts';
import { MockError } from './mock-error.ts';
import { createMockServer } from './server.ts';
import { createTokens } from './tokens.ts';
import { variants } from './variants.ts';

export type { Assumption, Client, Clock, MockClient };
export { MockError };

export interface MockOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Address to listen on; default 127.0.0.1, so that nobody else reaches the mock. */
  host?: string;
  /** Default: one client, `demo` with the secret `demo-secret`. */
  clients?: readonly MockClient[];
  /** Lifetime of the tokens of clients that have none of their own, in seconds; default: the contract's. */
  tokenLifetimeSeconds?: number;
  /** Path before every path, such as `/api/v1`; default none. */
  basePath?: string;
  /** Name of a way in which the mock shall break the specification, such as `never-expires`; default none. */
  defect?: string;
  /** Name of a way in which it shall differ where the specification is open, such as `token-4-kib`; default none. */
  variant?: string;
  /** `frozen` stops the mock's clock at the start, so that it moves where it is moved alone; default `real`. */
  clock?: 'real' | 'frozen';
  /** The time underneath the mock's clock, in milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** What a test shows to move the mock from outside, below /__mock; default: a new one. `false`: nobody can. */
  controlKey?: string | false;
  /** Told of an exception inside the mock, which answers 500 then; default: prints it on standard error. */
  onFault?: (error: unknown) => void;
}

/** All of them: the compiler asks for each. */
const KNOWN: Record<keyof MockOptions, true> = {
  ...{ port: true, host: true, clients: true, tokenLifetimeSeconds: true, basePath: true },
  ...{ defect: true, variant: true, clock: true, now: true, controlKey: true, onFault: true },
};
const OPTIONS = Object.keys(KNOWN);

/** A mock that listens. */
export interface Mock extends AsyncDisposable {
  /** Base address, with the base path and without a slash at its end. */
  readonly url: string;
  readonly clients: readonly Client[];
  /** Paths of the health checks, which the specification leaves open; without the base path. */
  readonly healthPaths: readonly string[];
  /** The choices that the mock makes where the specification is open. */
  readonly assumptions: readonly Assumption[];
  /** The time that tokens live by, which a test may move. */
  readonly clock: Clock;
  /** The key of the control; undefined where there is none. */
  readonly controlKey: string | undefined;
  /** Stops listening and cuts every open connection. May be called again. */
  close(): Promise<void>;
}

/** Starts a mock. Throws MockError for options that cannot be used and addresses that cannot be had. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const stranger = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (stranger)
    throw new MockError(`"${stranger}" is no option of startMock. There are ${OPTIONS.join(', ')}.`);
  if (![undefined, 'real', 'frozen'].includes(options.clock))
    throw new MockError(`The clock is "${options.clock}". Give 'real' or 'frozen'.`);
  const { port = 0, host = '127.0.0.1', onFault = console.error } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new MockError(`${port} is no port. Give a whole number from 0 to 65535; 0 takes any free port.`);
  const basePath = readBasePath(options.basePath ?? '');
  const contract = loadContract();
  const clients = createClients(
    options.clients ?? [demoClient],
    options.tokenLifetimeSeconds ?? contract.tokenLifetimeSeconds,
  );
  if (clients.list.length === 0)
    throw new MockError(
      'The list of clients is empty, so nobody could obtain a token. Give one, or no list at all.',
    );
  const engine = await engineFor(contract);
  const clock = createClock(options.now);
  if (options.clock === 'frozen') clock.freeze();
  const { now } = clock;
  const tokens = createTokens(now);
  const parts = { ...noHooks, contract, engine, clients, tokens, now, basePath, onFault };
  for (const twist of twistsOf(options)) Object.assign(parts, twist({ ...parts }));
  const controlKey = readControlKey(options.controlKey);
  const control = controlKey && createControl({ clock, tokens, key: controlKey, host });
  const server = createMockServer({ ...parts, ...(control && { control }) });
  await listen(server, port, host);

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://${reachable(host)}:${(server.address() as AddressInfo).port}${parts.basePath}`,
    clients: clients.list,
    healthPaths: parts.contract.operations.filter(({ id }) => id === 'checkHealth').map(({ path }) => path),
    assumptions: contract.assumptions,
    clock,
    controlKey,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A key travels in a header, as a token does (RFC 6750 section 2.1). */
function readControlKey(given: string | false = randomBytes(24).toString('base64url')): string | undefined {
  if (given === false) return undefined;
  if (/^[\w.~+/-]+=*$/.test(given)) return given;
  throw new MockError(
    'The control key cannot stand in a header. Give letters, digits and any of . _ ~ + / - instead.',
  );
}

function twistsOf({ variant, defect }: MockOptions): Twist[] {
  return [
    ...(variant === undefined ? [] : [findDeployment(variants, variant, 'variant').twist]),
    ...(defect === undefined ? [] : [findDeployment(defects, defect, 'defect').twist]),
  ];
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
    server.once('error', (error: NodeJS.ErrnoException) => reject(new MockError(whyNot(error, port, host))));
    server.listen(port, host, resolve);
  });
}

function whyNot({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
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
