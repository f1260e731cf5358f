/** Which deployments a proof is about. */
import { defects } from '../../mocks/deployments/defects.ts';
import type { Defect, Deployment, Variant } from '../../mocks/deployments/deployment.ts';
import { findDeployment as find } from '../../mocks/deployments/find-deployment.ts';
import { variants } from '../../mocks/deployments/variants.ts';

export interface Selection {
  defects: readonly Defect[];
  variants: readonly Variant[];
  /** Nothing was left out. */
  whole: boolean;
}

/** What is sent to another thread: a deployment itself holds functions. */
export interface DeploymentName {
  kind: 'defect' | 'variant';
  name: string;
}

/** Those with these names, or all if there is none. Throws MockError for a name that no deployment has. */
export function selectDeployments(names: readonly string[]): Selection {
  if (names.length === 0) return { defects, variants, whole: true };
  for (const name of names) find([...defects, ...variants], name, 'defect or variant', 'mrs prove --list');
  const chosen = ({ name }: { name: string }) => names.includes(name);
  return { defects: defects.filter(chosen), variants: variants.filter(chosen), whole: false };
}

export const findDeployment = ({ kind, name }: DeploymentName): Deployment =>
  find(kind === 'defect' ? defects : variants, name, kind);
