/** Where a draft and its questions go. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { DraftPaths } from '../../tests/server/draft/questions.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Throws UsageError for a name that no profile can have, and for files that exist: a user may have edited them. */
export function draftPaths(draft: string, env: NodeJS.ProcessEnv): DraftPaths {
  const questions = env.MRS_QUESTIONS || join(dirname(draft), 'questions.md');
  if (!/^[a-z0-9][a-z0-9-]{0,63}\.overlay\.yaml$/.test(basename(draft)))
    throw new UsageError(
      `--draft-profile is "${draft}". Name a file as in mine.overlay.yaml: small letters, digits and hyphens.`,
    );
  for (const file of [draft, questions])
    if (existsSync(file))
      throw new UsageError(`${file} already exists, and may have been edited. Move it, or name another.`);
  return { draft, questions, buildsOn: buildsOnOf(draft, env.MRS_PROFILE) };
}

/** A file is named from where the draft is. */
function buildsOnOf(draft: string, profile: string | undefined): string | undefined {
  if (profile === undefined || profile === SPECIFICATION) return undefined;
  if (!/[./\\]/.test(profile)) return profile;
  const path = relative(dirname(draft), profile);
  return path.startsWith('.') ? path : `./${path}`;
}
