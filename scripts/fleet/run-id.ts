/** The id of a run of a fleet, which all its shards and the machine that merges share. */
import { RUN_ID } from '../../tests/fleet/records.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Throws UsageError. */
export function readRunId(text: string, name: string): string {
  if (new RegExp(RUN_ID).test(text)) return text;
  throw new UsageError(
    `${name} is "${text}". Give up to 100 letters, digits and . _ : / @ + - that all machines of the run share.`,
  );
}

/**
 * Of a workflow run of GitHub or a pipeline of GitLab. Jobs of it that are run again have the same. Undefined elsewhere.
 */
export function runIdOfEnvironment({ GITHUB_RUN_ID, CI_PIPELINE_ID }: NodeJS.ProcessEnv): string | undefined {
  if (GITHUB_RUN_ID) return readRunId(GITHUB_RUN_ID, 'GITHUB_RUN_ID');
  return CI_PIPELINE_ID ? readRunId(CI_PIPELINE_ID, 'CI_PIPELINE_ID') : undefined;
}
