/** A proxy that listens, records and judges. */
import { close, listen } from '../../mocks/server.ts';
import type { ProxyAnswers } from '../judge/report.ts';
import { createProxyServer } from './forward.ts';
import { createInjection, type Injectable } from './inject.ts';
import { createRecorder, type RecorderOptions } from './recorder.ts';
import { createService } from './service.ts';

export interface ProxySettings extends RecorderOptions {
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[];
  /** A scenario, and the id of the client that meets it. */
  inject?: { scenario: Injectable; client: string } | undefined;
  /** Called when the target turns out to be the proxy itself. */
  onLoop?(): void;
}

export interface RunningProxy extends AsyncDisposable {
  /** What clients use as the base URL. */
  url: string;
  /** Stops listening, and closes every connection; what is under way is not judged. May be called again. */
  close(): Promise<void>;
  /** What was seen, with its verdicts; to be called when it is closed. */
  result(): Promise<Seen>;
}

type Recorded = Awaited<ReturnType<ReturnType<typeof createRecorder>['result']>>;
interface Seen extends Omit<Recorded, 'own'> {
  proxy: ProxyAnswers;
}

/** Of a body that is kept until it is judged, and of all of them together, in bytes. */
const CAPTURES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const HEAD_BYTES = 64 * 1024;

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings): Promise<RunningProxy> {
  const { target, port, host, authorities, inject, onLoop = () => {} } = settings;
  const recorder = createRecorder(settings);
  const { settled } = recorder;
  const server = createProxyServer({
    service: createService(target, authorities),
    headBytes: HEAD_BYTES,
    captures: CAPTURES,
    onPassed: recorder.add,
    onLoop,
    interfere: inject && (await createInjection({ ...inject, settled })),
  });
  const stop = async () => {
    recorder.stop();
    await close(server);
  };
  try {
    return {
      url: await listen(server, port, host),
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
