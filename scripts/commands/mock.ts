/** `mrs mock`: serves the contract, with tokens that are issued, accepted and expire. */
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { withAssumedRecords } from '../../mocks/records/assumed-records.ts';
import { listOfAssumptions, listOfDeployments, listOfScenarios } from '../mock/lists.ts';
import { recordsOf, serve } from '../mock/serve.ts';
import { MOCK_OPTIONS, type MockFlags } from './mock-flags.ts';
import { addOptions } from './options.ts';

/** The command, to be added to a program. Its action throws UsageError or MockError for faults that the user can fix. */
export function mockCommand(): Command {
  const command = new Command('mock')
    .summary('serve the contract on this machine')
    .description(
      'Serves the contract on this machine: issues tokens, accepts them for the data and lets them expire. ' +
        'Each option has an environment variable (in brackets); the option takes precedence. ' +
        'Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
    );
  return addOptions(command, MOCK_OPTIONS)
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .action(run);
}

const EXAMPLES = `
Examples:
  mrs mock                                       the demo client on port 4010
  mrs mock --port 0 --client a:s3cret:30s        any free port, tokens live 30 s
  MRS_CLIENT=a:s3cret mrs mock --base-path /api  a secret that is in no argument`;

async function run(flags: MockFlags): Promise<void> {
  if (flags.assumptions) {
    const profile = loadContract(await loadProfile(flags.profile));
    const contract = await withAssumedRecords(profile, recordsOf(flags));
    return console.log(listOfAssumptions(contract.assumptions));
  }
  if (flags.listDefects) {
    const { defects } = await import('../../mocks/deployments/defects.ts');
    const { variants } = await import('../../mocks/deployments/variants.ts');
    return console.log(listOfDeployments(defects, variants).join('\n\n'));
  }
  if (flags.listScenarios) return console.log(listOfScenarios());
  await serve(flags);
}
