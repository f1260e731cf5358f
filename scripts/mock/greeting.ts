/** What `mrs mock` prints once it listens. */

import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Mock } from '../../mocks/index.ts';
import { scenarios } from '../../mocks/scenarios.ts';
import { formatDuration } from '../../tests/support/options.ts';
import type { MockFlags } from '../commands/mock-flags.ts';

/** Only the demo client's secret is shown: it is public anyway. `keyIsGiven` if the user chose the key of the control API. */
export function greeting(mock: Mock, flags: MockFlags, isReplica: boolean, keyIsGiven: boolean): string {
  const { url, clients, profile, operations, assumptions, controlKey, clock: time } = mock;
  const { host, clock, seed, explain, defect, variant, scenarios: given } = flags;
  const demo = flags.client === undefined;
  const withScenarios = given ?? (demo && !isReplica);
  const differences = [
    ...(profile === SPECIFICATION ? [] : [`profile ${profile}`]),
    ...(defect === undefined ? [] : [`defect ${defect}`]),
    ...(variant === undefined ? [] : [`variant ${variant}`]),
    ...(clock === 'frozen' ? [`clock frozen at ${new Date(time.now()).toISOString()}`] : []),
    ...(seed === undefined ? [] : ['seeded']),
    ...(explain ? ['explains itself'] : []),
    ...(isReplica ? ['shares its tokens by key'] : []),
  ];
  const clientParts = clients.map(({ id, secret, tokenLifetimesSeconds }) => {
    const lifetime = `tokens live ${tokenLifetimesSeconds.map(formatDuration).join(', ')}`;
    return `client ${id} (${demo ? `secret ${secret}, ` : ''}${lifetime})`;
  });
  const key = keyIsGiven ? '"$MRS_MOCK_CONTROL_KEY"' : controlKey;
  const isOpen = !operations.some(({ id }) => id === 'obtainToken');
  const page = `${new URL(url).origin}/__mock/`;
  const control =
    controlKey === undefined || isReplica
      ? ''
      : `
Watch and steer it in a browser${keyIsGiven ? ', with the key below,' : ','} or from a test:

  ${page}${keyIsGiven ? '' : `#key=${controlKey}`}

  KEY=${key}
  curl -X PUT ${page}clock \\
    -H "Authorization: Bearer $KEY" \\
    -d '{"action": "advance", ${isOpen ? '"by": "1h"' : '"until": "next-expiry"'}}'
`;
  const open = host === '0.0.0.0' || host === '::' ? ['and on every address of this machine'] : [];
  const width = Math.max(...operations.map(({ path }) => path.length)) + 2;
  const data = operations.find(({ id }) => id === 'readData')?.path;
  const parts = [
    `mrs mock listens on ${url}`,
    ...open,
    ...differences,
    ...(isOpen ? ['open to everyone'] : clientParts),
    ...(withScenarios && !isOpen ? [`${scenarios.length} scenarios`] : []),
    `${assumptions.length} assumptions`,
  ];
  const id = quoted(clients[0]?.id ?? '');
  const secret = demo ? clients[0]?.secret : '"$SECRET"';
  const ask = demo ? '' : ', once its secret is in SECRET (read -rs SECRET)';
  return `${inLines(parts)}

${operations
  .map(({ method, path, summary }) => `  ${method.padEnd(4)} ${path.padEnd(width)} ${summary}`)
  .join('\n')}

${withScenarios && !isOpen ? '  mrs mock --list-scenarios   client ids that meet trouble: demo-expires-every-3\n' : ''}  mrs mock --assumptions      what is assumed where the specification is open

${isOpen ? `Try it:\n\n  curl ${url}${data}\n` : withToken()}${control}`;

  function withToken(): string {
    return `Try it${ask}:

  TOKEN=$(curl -s ${url}/token/ \\
    -H 'accept: application/json' \\
    -d grant_type=client_credentials \\
    --data-urlencode client_id=${id} \\
    --data-urlencode client_secret=${secret} | cut -d'"' -f4)
  curl ${url}${data} \\
    -H 'accept: application/json' -H "Authorization: Bearer $TOKEN"
`;
  }
}

/** Safe to paste into a shell. */
const quoted = (text: string): string =>
  /^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** With dots between them, in lines of 79 where they fit. */
function inLines(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && longer.length < 80) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join('\n');
}
