/** The evidence of a run: the requests are sent to the deployment that the variables name, or to the bundled mock. */
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Print } from '../../tests/report/output.ts';
import { createPublisher } from '../../tests/report/publish.ts';
import { describePlan } from '../../tests/server/probe/dry-run.ts';
import { verifiesCertificates } from '../../tests/server/probe/http.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { optionOf, readTarget, SECRET_VARIABLES } from '../../tests/server/probe/target.ts';
import { type Profile, profileIn } from '../../tests/server/profile.ts';
import { UNVERIFIED } from '../../tests/server/report/report.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { realClock } from '../../tests/support/clock.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { runSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Undefined where nothing is declared. Throws MockError for an invalid profile. */
export async function profileOf(nameOrFile: string | undefined): Promise<Profile | undefined> {
  const { name, document } = await loadProfile(nameOrFile || SPECIFICATION);
  return name === SPECIFICATION ? undefined : profileIn(document as Record<string, unknown>);
}

/** Throws UsageError for a mistake in `env`, before anything is sent. */
export function checkTarget(env: NodeJS.ProcessEnv, profile: Profile | undefined): void {
  if ('MRS_BASE_URL' in env) readTarget(env, profile);
  else readBundled(env);
}

/** Prints the requests of a run, and sends none. Throws UsageError for a mistake in `env`. */
export async function printPlan(env: NodeJS.ProcessEnv, profile: Profile | undefined): Promise<void> {
  await using mock = 'MRS_BASE_URL' in env ? undefined : await startBundledMock(env);
  console.log(describePlan(readTarget({ ...env, ...mock?.variables }, profile), profile));
}

/** A profile without secrets: an example in the contract may be the very secret, as it is where the mock is judged. */
export const withoutSecrets = (profile: Profile | undefined): Profile | undefined =>
  profile && { ...profile, document: runSecrets.redact(profile.document) };

/** Sends the requests of a run, to the bundled mock if no deployment is named. */
export async function gatherEvidence(
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  print?: Print,
): Promise<Evidence> {
  if (!verifiesCertificates(env)) console.error(`Warning: ${UNVERIFIED}`);
  await using mock = 'MRS_BASE_URL' in env ? undefined : await startBundledMock(env);
  const target = readTarget({ ...env, ...mock?.variables }, profile);
  // They were read: no program that this one starts needs them.
  for (const name of SECRET_VARIABLES) delete process.env[name];
  for (const { variable } of target.gatewayHeaders ?? []) delete process.env[variable];
  const evidence = await gather(target, {
    secrets: runSecrets,
    clock: realClock,
    progress: createProgress(target.baseUrl, target.clientId, print),
    ...(profile && { profile }),
  });
  if (mock) evidence.target.bundledMock = true;
  return evidence;
}

/** Without a terminal, how often a wait is reported. */
const EVERY_MS = 10_000;

/** One line that replaces itself on a terminal; otherwise a line at the start, and one now and then while the run waits. */
function createProgress(baseUrl: string, clientId: string, print?: Print): (text: string) => void {
  if (process.stderr.isTTY)
    return (text) => process.stderr.write(`\r\x1b[2K${text.slice(0, 79)}`) && undefined;
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

// The mock as the deployment to judge, where none is named.

/** Whoever sets one of these means a deployment, and must not be shown the mock's verdict for it. */
const OF_A_DEPLOYMENT = [
  'MRS_CLIENT_ID',
  ...SECRET_VARIABLES,
  'MRS_CA',
  'MRS_HEADER',
  'MRS_USER_AGENT',
  'MRS_HEALTH_PATHS',
  'MRS_BASELINE',
  'MRS_SAFE',
  'MRS_ALLOW_HTTP',
];
/** These may be given for the mock, but not without a value: then their value was lost, and perhaps a URL with it. */
const OF_EITHER = ['MRS_TOKEN_LIFETIME', 'MRS_PROFILE'];

interface BundledMock extends AsyncDisposable {
  /** The variables by which the suite finds it. */
  variables: Record<string, string>;
}

/** The options of the bundled mock. Throws UsageError where `env` means another deployment. */
function readBundled(env: NodeJS.ProcessEnv): { tokenLifetime?: number; profile?: string } {
  const stray = OF_A_DEPLOYMENT.find((name) => env[name]);
  if (stray)
    throw new UsageError(
      `${stray} is set, but --base-url (MRS_BASE_URL) is not. Give the URL to judge that deployment, or leave out both to judge the mock.`,
    );
  const empty = [...OF_A_DEPLOYMENT, ...OF_EITHER].find((name) => env[name] === '');
  if (empty)
    throw new UsageError(
      `${empty} is set to nothing, and --base-url (MRS_BASE_URL) is not set. Give both to judge a deployment, or unset ${empty} to judge the mock.`,
    );
  const { MRS_TOKEN_LIFETIME, MRS_PROFILE } = env;
  if (MRS_PROFILE && !profileNames().includes(MRS_PROFILE))
    throw new UsageError(
      `--profile (MRS_PROFILE) is "${MRS_PROFILE}", a file that describes a deployment, but --base-url (MRS_BASE_URL) is not set. Give the URL to judge that deployment. To judge the mock, leave out the profile or name one of this package.`,
    );
  return {
    ...(MRS_PROFILE && { profile: MRS_PROFILE }),
    ...(MRS_TOKEN_LIFETIME && {
      tokenLifetime: parseDuration(MRS_TOKEN_LIFETIME, optionOf('MRS_TOKEN_LIFETIME')),
    }),
  };
}

async function startBundledMock(env: NodeJS.ProcessEnv): Promise<BundledMock> {
  const options = readBundled(env);
  const { startMock } = await import('../index.ts');
  const mock = await startMock(options);
  const [client] = mock.clients;
  return {
    variables: {
      MRS_BASE_URL: mock.url,
      MRS_CLIENT_ID: client?.id ?? '',
      MRS_CLIENT_SECRET: client?.secret ?? '',
      MRS_TOKEN_LIFETIME: String(client?.tokenLifetimesSeconds[0]),
      MRS_HEALTH_PATHS: mock.healthPaths.join(','),
      MRS_MOCK_CONTROL_KEY: mock.controlKey ?? '',
    },
    [Symbol.asyncDispose]: mock.close,
  };
}
