/** `mrs verify --dry-run`: the requests that a run would send. */
import { describePlan } from '../../tests/server/probe/dry-run.ts';
import { readTarget } from '../../tests/server/probe/target.ts';
import { profileIn } from '../../tests/server/support/declared.ts';
import { startEmbeddedMock } from './embedded-mock.ts';

/** Throws UsageError for a mistake in `env`. */
export async function printPlan(
  env: NodeJS.ProcessEnv,
  contract: Record<string, unknown> | undefined,
): Promise<void> {
  const profile = contract && profileIn(contract);
  if ('MRS_BASE_URL' in env) return console.log(describePlan(readTarget(env, profile), profile));
  const mock = await startEmbeddedMock(env);
  try {
    console.log(describePlan(readTarget({ ...env, ...mock.variables }, profile), profile));
  } finally {
    await mock.close();
  }
}
