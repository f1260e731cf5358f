/** A proxy that listens, records and judges: the parts put together. */

import { createClock } from '../../mocks/clock.ts';
import { type Contract, loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { engineFor } from '../../mocks/prism.ts';
import { createRandom } from '../../mocks/random.ts';
import { close, listen } from '../../mocks/server.ts';
import { createState, type State } from '../../mocks/state.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import type { ProxyAnswers } from '../judge/report/report.ts';
import { createProxyServer, type Interfere } from './forward/server.ts';
import { createService } from './forward/service.ts';
import type { HarFile } from './har/har-file.ts';
import { createInjection } from './inject.ts';
import type { Injectable } from './injectable.ts';
import { createPageServer } from './page-server.ts';
import { createObserver, type Observer } from './record/observer.ts';

export interface ProxySettings {
  /** The base URL of the service, without a slash at its end. */
  target: string;
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[];
  tokenLifetime?: AgreedLifetimes | undefined;
  /** As readHealthPaths returns them; default: none. */
  healthPaths?: readonly string[] | undefined;
  processes: number;
  /** A scenario, and the id of the client that meets it. */
  inject?: { scenario: Injectable; client: string } | undefined;
  /** Of the page; without it, there is none. */
  page?: { key: string; port: number } | undefined;
  har?: HarFile | undefined;
  onFinding(line: string): void;
  /** Called with a sentence when the service cannot be reached, once for each cause. */
  onTrouble?(sentence: string): void;
  /** Called when the target turns out to be the proxy itself. */
  onLoop?(): void;
}

export interface RunningProxy extends AsyncDisposable {
  /** What clients use as the base URL. */
  url: string;
  /** The address of the page. */
  page?: string;
  journal: State['journal'];
  /** Stops listening, and closes every connection; what is under way is not judged. May be called again. */
  close(): Promise<void>;
  /** What was seen, with its verdicts; to be called when it is closed. */
  result(): Promise<Seen>;
}

export interface Seen
  extends Pick<Awaited<ReturnType<Observer['result']>>, 'recording' | 'judged' | 'secrets' | 'elsewhere'> {
  proxy: ProxyAnswers;
}

/** Exchanges that the page shows. */
const JOURNAL_SIZE = 10_000;
/** Of a body that is kept until it is judged, and of all of them together, in bytes. */
const CAPTURES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const HEAD_BYTES = 64 * 1024;
/** What the page is given where it is not known: longer than any run. */
const UNKNOWN_LIFETIME_SECONDS = 10 * 365 * 86_400;

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings): Promise<RunningProxy> {
  const {
    target,
    port,
    host,
    authorities,
    tokenLifetime,
    healthPaths = [],
    processes,
    inject,
    page,
    har,
    onFinding,
    onTrouble,
    onLoop = () => {},
  } = settings;
  const service = createService(target, authorities);
  const contract = loadContract(await loadProfile(SPECIFICATION));
  const state = createState({
    contract,
    clock: createClock(),
    random: createRandom('proxy'), // Of tokens that are nowhere accepted.
    clients: [],
    tokenLifetime: tokenLifetime?.others ?? UNKNOWN_LIFETIME_SECONDS,
    scenarios: false,
    journalSize: JOURNAL_SIZE,
  });
  const terms = { lifetimes: tokenLifetime, processes };
  const observer = createObserver({ service, state, terms, healthPaths, har, onFinding, onTrouble });
  const interfere = inject && (await injectionOf(inject, { contract, state, observer }));
  const server = createProxyServer(
    { service, headBytes: HEAD_BYTES, captures: CAPTURES, onPassed: observer.add, onLoop },
    interfere,
  );
  const pageServer =
    page &&
    createPageServer({ contract, state, key: page.key, host, service: target, latest: observer.latest });
  const stop = async () => {
    observer.stop();
    await Promise.all([close(server), pageServer && close(pageServer)]);
  };
  try {
    const url = await listen(server, port, host);
    const pageOrigin = pageServer && (await listen(pageServer, page.port, host));
    return {
      url,
      ...(pageOrigin !== undefined && { page: `${pageOrigin}/__mock/` }),
      journal: state.journal,
      close: stop,
      async result() {
        const { own, ...seen } = await observer.result();
        const injected = inject && { scenario: inject.scenario.name, client: inject.client };
        return { ...seen, proxy: { ...own, ...injected } };
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives the client the terms of the scenario: the state counts its calls and ends its tokens. */
async function injectionOf(
  { scenario, client }: { scenario: Injectable; client: string },
  { contract, state, observer }: { contract: Contract; state: State; observer: Observer },
): Promise<Interfere> {
  state.addClient({ tokenLifetime: UNKNOWN_LIFETIME_SECONDS, ...scenario.terms, id: client, secret: '-' });
  const engine = await engineFor(contract);
  const { tokenOf, settled } = observer;
  return createInjection({ scenario: scenario.name, client, state, engine, tokenOf, settled });
}
