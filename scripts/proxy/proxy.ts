/** A proxy that listens, records and judges, with a page that shows it. */
import { createServer, type Server } from 'node:http';
import { createClock } from '../../mocks/clock.ts';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { createControl, isControl } from '../../mocks/control.ts';
import { failure, fault, type Reply } from '../../mocks/http.ts';
import { createRandom } from '../../mocks/random.ts';
import { close, listen, send } from '../../mocks/server.ts';
import { createState, type State } from '../../mocks/state.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';
import type { ProxyAnswers } from '../judge/report.ts';
import { createProxyServer } from './forward.ts';
import { createInjection, type Injectable } from './inject.ts';
import { createRecorder, type RecorderOptions } from './recorder.ts';
import { createService } from './service.ts';

export interface ProxySettings extends Omit<RecorderOptions, 'state'> {
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[];
  /** A scenario, and the id of the client that meets it. */
  inject?: { scenario: Injectable; client: string } | undefined;
  /** Of the page; without it, there is none. */
  page?: { key: string; port: number } | undefined;
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

type Recorded = Awaited<ReturnType<ReturnType<typeof createRecorder>['result']>>;
interface Seen extends Omit<Recorded, 'own'> {
  proxy: ProxyAnswers;
}

/** Exchanges that the page shows. */
const JOURNAL_SIZE = 10_000;
/** Of a body that is kept until it is judged, and of all of them together, in bytes. */
const CAPTURES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const HEAD_BYTES = 64 * 1024;
/** What the page is given where it is not known, in seconds: longer than any run. */
const UNKNOWN_LIFETIME = 10 * 365 * 86_400;

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings): Promise<RunningProxy> {
  const { target, port, host, authorities, tokenLifetime, inject, page, onLoop = () => {} } = settings;
  const service = createService(target, authorities);
  const contract = loadContract(await loadProfile(SPECIFICATION));
  const state = createState({
    contract,
    clock: createClock(),
    random: createRandom('proxy'), // Of tokens that are nowhere accepted.
    clients: [],
    tokenLifetime: tokenLifetime?.others ?? UNKNOWN_LIFETIME,
    scenarios: false,
    journalSize: JOURNAL_SIZE,
  });
  const recorder = createRecorder({ ...settings, state });
  const server = createProxyServer({
    service,
    headBytes: HEAD_BYTES,
    captures: CAPTURES,
    onPassed: recorder.add,
    onLoop,
    interfere: inject && (await createInjection({ ...inject, ...recorder, contract, state })),
  });
  const control =
    page &&
    createControl({
      ...{ contract, state, key: page.key, host, service: target, basePath: '' },
      examiner: { certificate: ({ id }) => certificateOf(recorder.judge(), id) },
    });
  const pageServer = control && createPageServer(control);
  const stop = async () => {
    recorder.stop();
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
        const { own, ...seen } = await recorder.result();
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

/** The page is that of the mock, at an address of its own, so that every path of the service passes. */
const createPageServer = (control: ReturnType<typeof createControl>): Server =>
  createServer((request, response) => {
    const answer = (reply: Reply | undefined) => reply && send(response, reply);
    if (!isControl(request.url)) answer(failure(404, 'not_found', 'The page is at /__mock/.'));
    else control(request, response).then(answer, () => response.headersSent || answer(fault()));
  });

/** As the page shows it: what the traffic did not show could not be tried. */
function certificateOf({ clients }: JudgedRecording, id: string): object {
  const certificate = clients.find((client) => client.id === id)?.certificate;
  if (!certificate) return { strategy: 'none', tokens: { asked: 0, needed: 0 }, rules: [] };
  const { strategy, marginSeconds, tokens, rules } = certificate;
  return {
    strategy,
    ...(marginSeconds !== undefined && { marginSeconds }),
    tokens,
    rules: rules.map((rule) => (rule.verdict === 'not-seen' ? { ...rule, verdict: 'could-not-run' } : rule)),
  };
}
