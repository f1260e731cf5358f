/** Which deployments a proof is about, and where their evidence is. */
import { join } from 'node:path';
import { defects } from '../../mocks/deployments/defects.ts';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import { findDeployment } from '../../mocks/deployments/find-deployment.ts';
import { variants } from '../../mocks/deployments/variants.ts';

export interface Selection {
  defects: readonly Defect[];
  variants: readonly Variant[];
  /** Nothing was left out. */
  whole: boolean;
}

/** Those with these names, or all if there is none. Throws MockError for a name that no deployment has. */
export function selectDeployments(names: readonly string[]): Selection {
  if (names.length === 0) return { defects, variants, whole: true };
  for (const name of names)
    findDeployment([...defects, ...variants], name, 'defect or variant', 'mrs prove --list');
  const chosen = ({ name }: { name: string }) => names.includes(name);
  return { defects: defects.filter(chosen), variants: variants.filter(chosen), whole: false };
}

/** Within the folder of a proof: what was seen of a deployment. */
export const evidenceFile = (directory: string, name: string): string => join(directory, `${name}.json`);

/** Within the folder of a proof: the merged contract of a profile. */
export const contractFile = (directory: string, profile: string): string =>
  join(directory, `${profile}.contract`);

/** Within the folder of a proof: what it came to. */
export const resultFile = (directory: string): string => join(directory, 'result.json');
