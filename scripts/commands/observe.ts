/** `mrs observe`: what a deployment shows of the open points becomes the draft of a profile. */

import { resolve } from 'node:path';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { checkTarget, profileOf } from '../verify/gather-evidence.ts';
import { verify } from '../verify/verify.ts';
import { DEPLOYMENT_OPTIONS } from './deployment-options.ts';
import { draftPaths } from './draft-paths.ts';
import { addOptions, environmentOf, type OptionTable, type OptionValues } from './options.ts';

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
      const env = environmentOf(OBSERVE_OPTIONS, options, process.env);
      const draft = draftPaths(env.MRS_DRAFT_PROFILE || DEFAULT, env);
      const profile = await profileOf(env.MRS_PROFILE);
      checkTarget(env, profile);
      const code = await verify(env, { profile, draft, observe: true });
      // A fault of the draft would be one of this program: it is reported here, and not by the next command.
      if (code === exitCodes.conformant) loadContract(await loadProfile(resolve(draft.draft)));
      process.exitCode = code;
    });
}
