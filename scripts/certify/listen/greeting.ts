/** What `mrs certify --listen` prints once it listens: what the client needs. */

import { several } from '../../../tests/report/text.ts';
import { wrap } from '../../../tests/report/wrap.ts';
import type { Mock } from '../../index.ts';
import type { ListenSecret } from './client-secret.ts';
import { span } from './progress.ts';
import type { ListenTerms } from './token-terms.ts';

export interface Greeted {
  mock: Pick<Mock, 'url'>;
  host: string;
  client: string;
  agreedSeconds: number;
  secret: ListenSecret;
  /** Where the key of the control is; absent where MRS_MOCK_CONTROL_KEY gave it. */
  keyFile?: string;
  terms: readonly ListenTerms[];
}

/** Neither the secret nor the key is in it: files that hold them are named. */
export function listenGreeting({
  mock,
  host,
  client,
  agreedSeconds,
  secret,
  keyFile,
  terms,
}: Greeted): string {
  const most = terms.reduce((sum, { mostSeconds }) => sum + mostSeconds, 0) + 6 * terms.length;
  const everywhere = host === '0.0.0.0' || host === '::' ? ', and on every address of this machine' : '';
  const ofSecret = secret.file
    ? `  MRS_CLIENT_SECRET_FILE=${quoted(secret.file)}`
    : '  MRS_CLIENT_SECRET, as it is set here';
  const key = keyFile ? `the key in ${keyFile}` : 'the key in MRS_MOCK_CONTROL_KEY';
  return [
    `mrs certify listens on ${mock.url}${everywhere}`,
    '',
    'Give your client',
    '',
    `  MRS_BASE_URL=${mock.url}`,
    `  MRS_CLIENT_ID=${quoted(client)}`,
    ofSecret,
    `  MRS_TOKEN_LIFETIME=${agreedSeconds}`,
    '',
    ...wrap(
      `or whatever it calls them, start it, and leave it running: ${several(terms.length, 'scenario')}, ` +
        `${span(most)} at the most if it reads every few seconds. Ctrl-C ends it early; what was seen is judged then.`,
      80,
    ),
    '',
    `Watch it with ${key}:`,
    `  ${new URL(mock.url).origin}/__mock/`,
    '',
  ].join('\n');
}

/** Safe to paste into a shell. */
const quoted = (text: string): string =>
  /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
