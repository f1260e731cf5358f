/** Before the tests: sends the requests of the run, and leaves the evidence for the tests to judge. */
import { createPublisher, namesIn } from '../../report/publish.ts';
import { realClock } from '../../support/clock.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { runSecrets } from '../../support/secrets.ts';
import { gather } from '../probe/gather.ts';
import { verifiesCertificates } from '../probe/http/connection.ts';
import { readTarget } from '../probe/target.ts';
import { SECRET_VARIABLES } from '../probe/target-variables.ts';
import { readBaseline } from '../report/baseline.ts';
import { UNVERIFIED } from '../report/wording.ts';
import type { Profile } from '../support/declared.ts';
import type { Evidence } from '../support/evidence.ts';
import { fileOf, writeEvidence } from '../support/evidence-file.ts';
import { evidenceFile, profileOfRun, readHandOver, removeRunFolder } from './hand-over.ts';

export default async function setup(): Promise<void> {
  endWithParent(removeRunFolder);
  if (!verifiesCertificates(process.env)) console.error(`Warning: ${UNVERIFIED}`);
  const profile = profileOfRun();
  const evidence = await gatherForRun(profile);
  if (readHandOver().bundledMock) evidence.target.bundledMock = true;
  const publisher = createPublisher(runSecrets, namesIn(fileOf(evidence)));
  // An example in the contract may be the very secret, as it is where the mock is judged.
  const redacted = profile && { ...profile, document: runSecrets.redact(profile.document) };
  publisher.write(evidenceFile(), writeEvidence(evidence, redacted));
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}

function gatherForRun(profile: Profile | undefined): Promise<Evidence> {
  const target = readTarget(process.env, profile);
  if (process.env.MRS_BASELINE) readBaseline(process.env.MRS_BASELINE); // A mistake in it is reported first.
  // What judges and reports is started after this, and has no need of them.
  for (const name of SECRET_VARIABLES) delete process.env[name];
  for (const { variable } of target.gatewayHeaders ?? []) delete process.env[variable];
  return gather(target, {
    secrets: runSecrets,
    clock: realClock,
    progress: createProgress(target.baseUrl, target.clientId),
    ...(profile && { profile }),
  });
}

/** Without a terminal, how often a wait is reported. */
const EVERY_MS = 10_000;

/** One line that replaces itself on a terminal; otherwise a line at the start, and one now and then while the run waits. */
function createProgress(baseUrl: string, clientId: string): (text: string) => void {
  if (process.stderr.isTTY)
    return (text) => process.stderr.write(`\r\x1b[2K${text.slice(0, 79)}`) && undefined;
  const { print = 'text' } = readHandOver();
  if (print !== 'text') return () => {};
  const publisher = createPublisher(runSecrets);
  let reportedAt = performance.now();
  let hasBegun = false;
  return (text) => {
    if (!hasBegun) publisher.print(`Checking ${baseUrl} as client ${clientId}`);
    hasBegun = true;
    if (!text.startsWith('waiting') || performance.now() - reportedAt < EVERY_MS) return;
    reportedAt = performance.now();
    publisher.print(text);
  };
}
