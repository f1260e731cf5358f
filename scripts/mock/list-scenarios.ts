/** The client ids that play a scenario, as `mrs mock --list-scenarios` prints them, in 80 columns. */
import { SCENARIO_SECRET, scenarios } from '../../mocks/state/scenarios.ts';
import { wrap } from '../../tests/report/wrap.ts';

export function listOfScenarios(): string {
  const about = wrap(
    `${scenarios.length} scenarios. Give your client one of these ids and the secret ${SCENARIO_SECRET}. To give ` +
      'each developer or test a client with its own count of calls, add a dot and a word to the id: ' +
      'demo-steady.alice.',
    80,
  );
  const entries = scenarios.flatMap(({ name, summary, secretSuffix = '' }) => [
    `demo-${name}`,
    ...wrap(summary.endsWith('?') ? summary : `${summary}.`, 76).map((line) => `    ${line}`),
    ...(secretSuffix === '' ? [] : [`    Its secret is ${SCENARIO_SECRET}${secretSuffix}.`]),
  ]);
  return [...about, '', ...entries].join('\n');
}
