/** What the profile of the deployment declares, where the run has one. */

import { declaredBy } from './profile.ts';
import { profileOfRun, test, testOf } from './suite.ts';

if (profileOfRun) for (const row of declaredBy(profileOfRun)) test(...testOf(row, row));
