/** Finds a deployment by its name. Neither list is loaded before it is asked for. */
import type { FindDeployments } from '../api.ts';
import { MockError, nearestInWords } from '../contract/mock-error.ts';
import { SPECIFICATION } from '../contract/profile.ts';
import type { Deployment } from './deployment.ts';

/** Of the variant and the defect, in this order. Rejects with MockError if one is unknown, or requires a profile. */
export const findDeployments: FindDeployments = async ({ variant, defect, profile }) => {
  const found = await Promise.all([
    ...(variant === undefined ? [] : [findDeployment('variant', variant)]),
    ...(defect === undefined ? [] : [findDeployment('defect', defect)]),
  ]);
  for (const { name, profile: required } of found)
    if (required !== undefined && [undefined, SPECIFICATION].includes(profile))
      throw new MockError(`"${name}" requires the profile ${required}. Add that profile.`);
  return found.map(({ override }) => override);
};

/** Rejects with MockError if there is no such name. */
async function findDeployment(kind: 'defect' | 'variant', name: string): Promise<Deployment> {
  const list: readonly Deployment[] =
    kind === 'defect' ? (await import('./defects.ts')).defects : (await import('./variants.ts')).variants;
  const found = list.find((one) => one.name === name);
  if (found) return found;
  const names = list.map((one) => one.name);
  throw new MockError(
    `There is no ${kind} "${name}". ${nearestInWords(name, names)}See mrs mock --list-defects.`,
  );
}
