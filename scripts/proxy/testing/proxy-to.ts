/** Starts a proxy in this process, in front of a service of the test. */
import { type ProxySettings, type RunningProxy, startProxy } from '../proxy.ts';

/** Listens at a free port; `more` are the settings that matter to the test. */
export const proxyTo = (target: string, more: Partial<ProxySettings> = {}): Promise<RunningProxy> =>
  startProxy({ target, port: 0, host: '127.0.0.1', processes: 1, onFinding() {}, ...more });
