/** What `mrs proxy` prints once it listens. */
import { inOneLine } from '../../tests/report/text.ts';
import type { ProxySettings, RunningProxy } from './start-proxy.ts';

export interface Greeted
  extends Pick<RunningProxy, 'url' | 'page'>,
    Pick<ProxySettings, 'target' | 'host' | 'inject'> {
  /** Where the HAR file is written. */
  har?: string | undefined;
  /** Of the page; absent where MRS_MOCK_CONTROL_KEY gave it. */
  key?: string;
}

export function proxyGreeting({ url, page, target, host, inject, har, key }: Greeted): string {
  const everywhere = host === '0.0.0.0' || host === '::' ? ', and on every address of this machine' : '';
  return [
    `mrs proxy listens on ${url}${everywhere}`,
    `and forwards to ${target}`,
    '',
    'Give your client this base URL, and leave the rest as it is:',
    '',
    `  MRS_BASE_URL=${url}`,
    '',
    ...(inject
      ? [
          `The client ${inOneLine(inject.client)} meets ${inject.scenario.name}: ${inject.scenario.summary}.`,
          '',
        ]
      : []),
    ...(page === undefined
      ? []
      : [
          key === undefined ? 'Watch it with the key in MRS_MOCK_CONTROL_KEY:' : 'Watch it in a browser:',
          '',
          `  ${page}${key === undefined ? '' : `#key=${key}`}`,
          '',
        ]),
    `Ctrl-C ends it and writes the report${har === undefined ? '' : ` and ${inOneLine(har)}`}.`,
    '',
  ].join('\n');
}
