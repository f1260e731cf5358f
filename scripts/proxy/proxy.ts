/** A proxy that listens, records and judges. */
import { close, listen } from '../../mocks/server.ts';
import { createProxyServer } from './forward.ts';
import { createRecorder, type RecorderOptions } from './recorder.ts';
import { createService } from './service.ts';

export interface ProxySettings extends RecorderOptions {
  port: number;
  host: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[];
  /** Called when the target turns out to be the proxy itself. */
  onLoop?: (() => void) | undefined;
}

/** Of a body that is kept until it is recorded, and of all of them together, in bytes. */
const CAPTURES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const HEAD_BYTES = 64 * 1024;

/** Throws MockError for an address that it cannot listen on. */
export async function startProxy(settings: ProxySettings) {
  const { target, port, host, authorities, onLoop } = settings;
  const recorder = createRecorder(settings);
  const server = createProxyServer({
    service: createService(target, authorities),
    headBytes: HEAD_BYTES,
    captures: CAPTURES,
    onPassed: recorder.add,
    onLoop,
  });
  /** Stops listening, and closes every connection; what is under way is not judged. May be called again. */
  const stop = async () => {
    recorder.stop();
    await close(server);
  };
  try {
    /** What clients use as the base URL. */
    const url = await listen(server, port, host);
    /** `result`: what was seen, with its verdicts; to be called when it is closed. */
    return { url, close: stop, result: recorder.result, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
