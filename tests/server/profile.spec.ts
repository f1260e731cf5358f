import { declaredRequirements, judgeDeclared, readProfile, test } from './support/test.ts';

/** Of the run, or of the deployment whose turn it is where many are judged in one run. */
const profile = readProfile();

if (profile)
  for (const requirement of declaredRequirements(profile))
    test(`${requirement.id} ${requirement.statement}`, ({ evidence }) => {
      judgeDeclared(requirement, profile, evidence);
    });
