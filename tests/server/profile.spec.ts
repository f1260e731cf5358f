import { profileOfRun } from './run/hand-over.ts';
import { declaredBy } from './support/declared-verdict.ts';
import { testEach } from './support/test.ts';

const profile = profileOfRun();
if (profile) testEach(declaredBy(profile));
