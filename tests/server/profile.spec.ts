/** What the profile of the deployment declares, where the run has one. */

import { declaredRequirements, judgeDeclared } from './profile.ts';
import { profileOfRun, test, testOf } from './suite.ts';

const profile = profileOfRun;
if (profile)
  for (const row of declaredRequirements(profile))
    test(...testOf(row, (evidence) => judgeDeclared(row, profile, evidence)));
