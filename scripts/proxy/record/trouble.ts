/** Why no request reaches the service, and what to do, as a sentence for each cause. */
import type { ProxyError } from '../forward/own-answer.ts';
import type { Passed } from '../forward/passed.ts';

const NEXT: Readonly<Partial<Record<ProxyError, string>>> = {
  connection_refused: 'Start the service, or correct the host and port of --target.',
  connection_terminated: 'See the log of the service, or correct the scheme and port of --target.',
  connection_timeout: 'See whether a firewall is in the way, or correct --target.',
  destination_ip_unroutable: 'See whether this machine has a route to it, or correct --target.',
  dns_error: 'Correct the host of --target, or see whether this machine can look names up.',
  http_protocol_error: 'See whether --target names the scheme and port of an HTTP service.',
  tls_protocol_error: 'If it speaks plain http at this port, correct the scheme of --target.',
};

/** Returns what reports a cause when an exchange shows it for the first time. */
export function createTroubleReporter(
  baseUrl: string,
  onTrouble: (sentence: string) => void,
): (passed: Passed) => void {
  const reported = new Set<string>();
  return ({ failure, problem, proxyAnswer }) => {
    if (failure === undefined || problem === undefined || proxyAnswer === undefined) return;
    if (reported.has(problem)) return;
    reported.add(problem);
    const next = NEXT[problem];
    onTrouble(`The service at ${baseUrl} ${failure}.${next === undefined ? '' : ` ${next}`}`);
  };
}
