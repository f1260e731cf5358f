/** Where a draft and its questions go, as variables that the suite reads. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Throws UsageError for a name that no profile can have, and for files that are there: somebody may have mended them. */
export function draftPlace(draft: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const questions = env.MRS_QUESTIONS ?? join(dirname(draft), 'questions.md');
  if (!/^[a-z0-9][a-z0-9-]{0,63}\.overlay\.yaml$/.test(basename(draft)))
    throw new UsageError(
      `--draft-profile is "${draft}". Name a file as in mine.overlay.yaml: small letters, digits and hyphens.`,
    );
  for (const file of [draft, questions])
    if (existsSync(file))
      throw new UsageError(`${file} is there already, and may have been mended. Move it, or name another.`);
  const buildsOn = buildsOnOf(draft, env.MRS_PROFILE);
  return {
    ...{ MRS_DRAFT_PROFILE: draft, MRS_QUESTIONS: questions },
    ...(buildsOn !== undefined && { MRS_DRAFT_BUILDS_ON: buildsOn }),
  };
}

/** A file is named from where the draft is. */
function buildsOnOf(draft: string, profile: string | undefined): string | undefined {
  if (profile === undefined || profile === SPECIFICATION) return undefined;
  if (!/[./\\]/.test(profile)) return profile;
  const path = relative(dirname(draft), profile);
  return path.startsWith('.') ? path : `./${path}`;
}
