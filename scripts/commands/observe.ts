/** `mrs observe`: what a deployment shows of the open points becomes the draft of a profile. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { handOnProfile } from '../verify/profile-contract.ts';
import { DEPLOYMENT_OPTIONS } from './deployment-options.ts';
import { draftPlace } from './draft-paths.ts';
import { addOptions, environmentOf, type OptionTable, type OptionValues } from './options.ts';
import { checkTarget, runSuite } from './verify.ts';

const DEFAULT = 'draft.overlay.yaml';

export const OBSERVE_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  draftProfile: {
    ...DEPLOYMENT_OPTIONS.draftProfile,
    help: 'file for the draft profile',
    defaultText: DEFAULT,
  },
} as const satisfies OptionTable;

export function observeCommand(): Command {
  return addOptions(new Command('observe'), OBSERVE_OPTIONS)
    .summary('draft a profile of a deployment')
    .description(
      'Sends the requests of mrs verify and drafts a profile of how the deployment behaves where the ' +
        'specification is open, with questions to its operator about what the requests do not show. ' +
        'Violations of the specification are reported, and never drafted.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 a draft was written, 2 error (configuration, or the suite itself),\n' +
        '3 not enough was seen.',
    )
    .allowExcessArguments(false)
    .action(async (options: OptionValues<typeof OBSERVE_OPTIONS>) => {
      const scratch = mkdtempSync(join(tmpdir(), 'mrs-contract-'));
      try {
        const given = environmentOf(OBSERVE_OPTIONS, options, process.env);
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
