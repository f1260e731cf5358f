/** What the profile of the deployment declares, where the run has one. */
import { profileOfRun, test, testOf } from './suite.ts';
import { declaredRequirements } from './support/declared.ts';
import { judgeDeclared } from './support/declared-verdict.ts';

const profile = profileOfRun;
if (profile)
  for (const row of declaredRequirements(profile))
    test(...testOf(row, (evidence) => judgeDeclared(row, profile, evidence)));
