/** What `mrs mock` prints once it listens. */
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import { scenarios } from '../../mocks/scenarios.ts';
import { formatDuration } from '../../tests/support/options.ts';
import type { MockFlags } from '../commands/mock-flags.ts';
import type { Mock } from '../index.ts';

/** Only the demo client's secret is shown: it is public anyway. `keyIsGiven` if the user chose the key of the control API. */
export function greeting(mock: Mock, flags: MockFlags, isReplica: boolean, keyIsGiven: boolean): string {
  const { url, clients, profile, operations, assumptions, controlKey } = mock;
  const isDemo = flags.client === undefined;
  const isOpen = !operations.some(({ id }) => id === 'obtainToken');
  const withScenarios = !isOpen && (flags.scenarios ?? (isDemo && !isReplica));
  const differences = [
    ...(profile === SPECIFICATION ? [] : [`profile ${profile}`]),
    ...(flags.defect === undefined ? [] : [`defect ${flags.defect}`]),
    ...(flags.variant === undefined ? [] : [`variant ${flags.variant}`]),
    ...(flags.clock === 'frozen' ? [`clock frozen at ${new Date(mock.clock.now()).toISOString()}`] : []),
    ...(isReplica ? ['shares its tokens by key'] : []),
  ];
  const page = `${new URL(url).origin}/__mock/`;
  const control = `
Watch and steer it in a browser${keyIsGiven ? ', with the key below,' : ''} or from a test:

  ${page}${keyIsGiven ? '' : `#key=${controlKey}`}

  KEY=${keyIsGiven ? '"$MRS_MOCK_CONTROL_KEY"' : controlKey}
  curl -X PUT ${page}clock \\
    -H "Authorization: Bearer $KEY" \\
    -d '{"action": "advance", ${isOpen ? '"by": "1h"' : '"until": "next-expiry"'}}'
`;
  const width = Math.max(...operations.map(({ path }) => path.length)) + 2;
  const lines = [
    `mrs mock listens on ${url}`,
    ...(['0.0.0.0', '::'].includes(flags.host) ? ['and on every address of this machine'] : []),
    ...(differences.length === 0 ? [] : [differences.join(' · ')]),
    ...(isOpen ? ['open to everyone'] : clients.map(clientLine)),
    ...(withScenarios
      ? [`${scenarios.length} client ids that trigger failures: see mrs mock --list-scenarios`]
      : []),
    `${assumptions.length} assumptions where the specification is open: see mrs mock --assumptions`,
    '',
    ...operations.map(
      ({ method, path, summary }) => `  ${method.padEnd(4)} ${path.padEnd(width)} ${summary}`,
    ),
    '',
  ];
  return `${lines.join('\n')}\n${attempt()}${controlKey === undefined || isReplica ? '' : control}`;

  function clientLine({ id, secret, tokenLifetimesSeconds }: Mock['clients'][number]): string {
    const lifetime = `tokens live ${tokenLifetimesSeconds.map(formatDuration).join(', ')}`;
    return `client ${id} (${isDemo ? `secret ${secret}, ` : ''}${lifetime})`;
  }

  function attempt(): string {
    const data = `${url}${operations.find(({ id }) => id === 'readData')?.path}`;
    if (isOpen) return `Try it:\n\n  curl ${data}\n`;
    return `Try it${isDemo ? '' : ', once its secret is in SECRET (read -rs SECRET)'}:

  TOKEN=$(curl -s ${url}/token/ \\
    -H 'accept: application/json' \\
    -d grant_type=client_credentials \\
    --data-urlencode client_id=${quoted(clients[0]?.id ?? '')} \\
    --data-urlencode client_secret=${isDemo ? clients[0]?.secret : '"$SECRET"'} | cut -d'"' -f4)
  curl ${data} \\
    -H 'accept: application/json' -H "Authorization: Bearer $TOKEN"
`;
  }
}

/** Safe to paste into a shell. */
const quoted = (text: string): string =>
  /^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
