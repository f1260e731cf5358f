/** Hands a profile on to the suite: the merged contract, as a file. The suite knows no overlays. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';

/** The variable that names the file; none where nothing is declared. Throws MockError for a profile that cannot be. */
export async function handOnProfile(
  nameOrFile: string | undefined,
  directory: string,
): Promise<{ MRS_CONTRACT?: string }> {
  const profile = await loadProfile(nameOrFile ?? SPECIFICATION);
  if (profile.name === SPECIFICATION) return {};
  const file = join(directory, 'contract.json');
  writeFileSync(file, JSON.stringify(profile.document));
  return { MRS_CONTRACT: file };
}
