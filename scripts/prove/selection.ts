/** Which deployments a proof is about. */
import { defects } from '../../mocks/deployments/defects.ts';
import type { Defect, Deployment, Variant } from '../../mocks/deployments/deployment.ts';
import { findDeployment as find } from '../../mocks/deployments/find-deployment.ts';
import { variants } from '../../mocks/deployments/variants.ts';

export interface Selection {
  defects: readonly Defect[];
  variants: readonly Variant[];
  /**
   * `whole`: nothing was left out. `sample`: each requirement has a defect in it. `named`: only what was asked for, so
   * that a requirement may have none.
   */
  scope: 'whole' | 'sample' | 'named';
}

/** What is sent to another thread: a deployment itself holds functions. */
export interface DeploymentName {
  kind: 'defect' | 'variant';
  name: string;
}

/** Those with these names, or all if there is none. Throws MockError for a name that no deployment has. */
export function selectDeployments(names: readonly string[]): Selection {
  if (names.length === 0) return { defects, variants, scope: 'whole' };
  for (const name of names) find([...defects, ...variants], name, 'defect or variant', 'mrs prove --list');
  const chosen = ({ name }: { name: string }) => names.includes(name);
  return { defects: defects.filter(chosen), variants: variants.filter(chosen), scope: 'named' };
}

/** Of this many variants, one is in a sample. */
const VARIANT_STEP = 16;

/**
 * A fixed part of the proof: for each requirement that a defect fails, the first defect that fails it, if no earlier
 * one does, and some variants.
 */
export function sampleDeployments(): Selection {
  const covered = new Set<string>();
  const chosen = defects.filter(({ fails }) => {
    const fresh = Object.keys(fails)
      .map(pointOf)
      .filter((point) => !covered.has(point));
    for (const point of fresh) covered.add(point);
    return fresh.length > 0;
  });
  return {
    defects: chosen,
    variants: variants.filter((_, nth) => nth % VARIANT_STEP === 0),
    scope: 'sample',
  };
}

/** `MRS-2b@` of `MRS-2b@nrao-ods`, which is judged alike under every profile; the id of what is stated. */
export const pointOf = (id: string): string => id.replace(/@.*/, '@');

export const findDeployment = ({ kind, name }: DeploymentName): Deployment =>
  find(kind === 'defect' ? defects : variants, name, kind);
