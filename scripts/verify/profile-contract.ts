/** What a profile is to the suite, which knows no overlays: the merged contract. */
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';

/** Undefined where nothing is declared. Throws MockError for an invalid profile. */
export async function profileContract(
  nameOrFile: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  const profile = await loadProfile(nameOrFile || SPECIFICATION);
  return profile.name === SPECIFICATION ? undefined : (profile.document as Record<string, unknown>);
}
