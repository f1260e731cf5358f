/** Before the tests: carries out the plan against the deployment, and leaves the evidence for them to judge. */
import { join } from 'node:path';
import { createPublisher } from '../../report/publish.ts';
import { realClock } from '../../support/clock.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { runSecrets } from '../../support/secrets.ts';
import { gather } from '../probe/gather.ts';
import { readTarget } from '../probe/target.ts';
import { readBaseline } from '../report/baseline.ts';
import { readProfile } from '../support/declared.ts';
import type { Evidence } from '../support/evidence.ts';

export default async function setup(): Promise<void> {
  endWithParent();
  const file = join(process.env.MRS_SCRATCH ?? '', 'evidence.json');
  process.env.MRS_EVIDENCE_FILE = file;
  const evidence = await gatherForRun();
  const publisher = createPublisher(runSecrets);
  publisher.write(file, `${JSON.stringify(evidence, null, 2)}\n`);
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}

function gatherForRun(): Promise<Evidence> {
  const profile = readProfile();
  const target = readTarget(process.env, profile);
  if (process.env.MRS_BASELINE) readBaseline(process.env.MRS_BASELINE); // A mistake in it is told first.
  // What judges and reports is started after this, and has no need of them.
  delete process.env.MRS_CLIENT_SECRET;
  delete process.env.MRS_CLIENT_SECRET_FILE;
  delete process.env.MRS_EXPIRED_TOKEN;
  delete process.env.MRS_MOCK_CONTROL_KEY;
  return gather(target, {
    secrets: runSecrets,
    clock: realClock,
    progress: showProgress,
    ...(profile && { profile }),
  });
}

/** One line that replaces itself, on a terminal alone. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text.slice(0, 79)}`);
}
