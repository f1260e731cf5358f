/** `mrs observe`: what a deployment shows of the open points becomes the draft of a profile. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { handOnProfile } from '../verify/profile-contract.ts';
import { draftPlace } from './draft-paths.ts';
import { checkTarget, type DeploymentOptions, deploymentOptions, environment, runSuite } from './verify.ts';

const DEFAULT = 'draft.overlay.yaml';

export function observeCommand(): Command {
  return deploymentOptions(new Command('observe'))
    .summary('draft a profile of what a deployment shows')
    .description(
      'Sends the requests of mrs verify, and drafts a profile of how the deployment answers what the ' +
        'specification leaves open, with questions to its operator on what it does not show. ' +
        'What breaks the specification is told, and never drafted.',
    )
    .addHelpText(
      'after',
      `\nThe draft goes to ${DEFAULT}. The variables are those of mrs verify.\n` +
        '\nExit codes: 0 a draft was written, 2 error (configuration, or the suite itself),\n' +
        '3 too little was seen.',
    )
    .allowExcessArguments(false)
    .action(async (options: DeploymentOptions) => {
      const scratch = mkdtempSync(join(tmpdir(), 'mrs-contract-'));
      try {
        const given = environment(options);
        const place = draftPlace(given.MRS_DRAFT_PROFILE ?? DEFAULT, given);
        const contract = await handOnProfile(given.MRS_PROFILE, scratch);
        const env = { ...given, ...contract, ...place, MRS_OBSERVE: '1' };
        checkTarget(env);
        const code = await runSuite(env, scratch);
        // A fault of the draft would be one of this program: it is told here, and not by the next command.
        if (code === exitCodes.conformant)
          loadContract(await loadProfile(join('.', place.MRS_DRAFT_PROFILE ?? '')));
        process.exitCode = code;
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    });
}
