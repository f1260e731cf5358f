/** The options of startMock: validation and defaults. */
import { randomBytes } from 'node:crypto';
import type { Duration } from './contract/control-types.ts';
import { MockError } from './contract/mock-error.ts';
import { SPECIFICATION } from './contract/profile.ts';
import type { ClientExaminer } from './control/client-examiner.ts';
import { isControl } from './control/control.ts';
import type { MockOptions } from './mock-options.ts';
import { checkReplicaOptions } from './replica-options.ts';
import { demoClient, type MockClient } from './state/clients.ts';
import { readTokenKey, type TokenKey } from './state/token-key.ts';

/** Lists every option: the compiler checks that it is complete. */
const KNOWN: Record<keyof MockOptions, true> = {
  port: true,
  host: true,
  clients: true,
  scenarios: true,
  tokenLifetime: true,
  basePath: true,
  profile: true,
  records: true,
  defect: true,
  variant: true,
  clock: true,
  startsAt: true,
  tokenKey: true,
  seed: true,
  cors: true,
  explain: true,
  journalSize: true,
  now: true,
  sleep: true,
  controlKey: true,
  examiner: true,
  onFault: true,
};

/** Validated options, with defaults. */
export interface Settings {
  port: number;
  host: string;
  clients: readonly MockClient[];
  scenarios: boolean;
  /** Undefined: the contract's. */
  tokenLifetime: Duration | undefined;
  basePath: string;
  profile: string;
  records: number | string | undefined;
  isFrozen: boolean;
  /** Start of the mock's clock, in milliseconds; undefined: now. */
  startMs: number | undefined;
  seed: string | Uint8Array;
  /** Undefined unless the tokens are shared with other mocks. */
  tokenKey: TokenKey | undefined;
  /** Whether pages of other origins may call the API. */
  cors: boolean;
  explain: boolean;
  journalSize: number;
  now: (() => number) | undefined;
  sleep: MockOptions['sleep'];
  /** Undefined if the control API is disabled. */
  controlKey: string | undefined;
  examiner: ClientExaminer | undefined;
  onFault: (error: unknown) => void;
}

/** What a user can change is a sentence; any other fault is a mistake of the mock, and its stack shows where. */
const printFault = (error: unknown): void =>
  console.error(error instanceof MockError ? error.message : error);

/** Throws MockError for invalid options. */
export function readOptions(options: MockOptions): Settings {
  const unknownKey = Object.keys(options).find((name) => !Object.hasOwn(KNOWN, name));
  if (unknownKey)
    throw new MockError(
      `"${unknownKey}" is not an option of startMock. Valid options are ${Object.keys(KNOWN).join(', ')}.`,
    );
  if (![undefined, 'real', 'frozen'].includes(options.clock))
    throw new MockError(`The clock is "${options.clock}". Use 'real' or 'frozen'.`);
  const tokenKey = options.tokenKey === undefined ? undefined : readTokenKey(options.tokenKey);
  if (tokenKey) checkReplicaOptions(options);
  return {
    port: readPort(options.port),
    host: readHost(options.host),
    clients: readClients(options.clients),
    scenarios: options.scenarios ?? (options.clients === undefined && !tokenKey),
    tokenLifetime: options.tokenLifetime,
    basePath: readBasePath(options.basePath ?? ''),
    profile: options.profile ?? SPECIFICATION,
    records: options.records,
    isFrozen: options.clock === 'frozen',
    startMs: readStart(options),
    seed: options.seed ?? tokenKey?.seed ?? randomBytes(32),
    tokenKey,
    cors: options.cors ?? true,
    explain: options.explain ?? false,
    journalSize: tokenKey ? 0 : readJournalSize(options.journalSize),
    now: options.now,
    sleep: options.sleep,
    controlKey: readControlKey(options.controlKey),
    examiner: options.examiner,
    onFault: options.onFault ?? printFault,
  };
}

function readPort(port = 0): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new MockError(`${port} is not a port. Use a whole number from 0 to 65535; 0 picks any free port.`);
}

function readHost(host = '127.0.0.1'): string {
  if (typeof host === 'string' && host !== '') return host;
  throw new MockError(
    'The host is empty, which would mean every address. Use 127.0.0.1, or 0.0.0.0 for every address.',
  );
}

function readClients(given: MockOptions['clients'] = [demoClient]): readonly MockClient[] {
  const clients: readonly MockClient[] = Array.isArray(given)
    ? given
    : Object.entries(given).map(([id, terms]) => ({ ...terms, id }));
  if (clients.length > 0) return clients;
  throw new MockError(
    'The list of clients is empty, so no client could obtain a token. Add a client, or leave out the list.',
  );
}

function readStart({ startsAt, clock, seed }: MockOptions): number | undefined {
  if (startsAt === undefined)
    return clock === 'frozen' && seed !== undefined ? Date.UTC(2030, 0, 1) : undefined;
  const start = Date.parse(startsAt);
  if (!Number.isNaN(start)) return start;
  throw new MockError(`startsAt is "${startsAt}", which is not a date. Write it as 2030-01-01T00:00:00Z.`);
}

function readJournalSize(size = 10_000): number {
  if (Number.isInteger(size) && size >= 0 && size <= 1_000_000) return size;
  throw new MockError(`The journal size ${size} is invalid. Use a whole number from 0 to 1000000; 0 is off.`);
}

/** The key is sent in a header, in the syntax of a token (RFC 6750 section 2.1). */
function readControlKey(given: string | false = randomBytes(24).toString('base64url')): string | undefined {
  if (given === false) return undefined;
  if (/^[\w.~+/-]+=*$/.test(given)) return given;
  throw new MockError(
    'The control key has characters that a header cannot carry. Use only letters, digits and . _ ~ + / -',
  );
}

function readBasePath(given: string): string {
  const basePath = given.replace(/\/+$/, '');
  if (isControl(basePath))
    throw new MockError(`The base path "${given}" is reserved for the control API. Use another one.`);
  if (/^(\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(basePath)) return basePath;
  throw new MockError(
    `"${given}" is not a base path. Begin it with a slash, and write it as in a URL: /api/v1.`,
  );
}
