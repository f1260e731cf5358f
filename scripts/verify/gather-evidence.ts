/** The evidence of a run: the requests are sent to the deployment that the variables name, or to the bundled mock. */
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Print } from '../../tests/report/output.ts';
import { createPublisher } from '../../tests/report/publish.ts';
import { verifiesCertificates } from '../../tests/server/probe/connection.ts';
import { BUDGET } from '../../tests/server/probe/http.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { isOn, optionOf, readTarget, SECRET_VARIABLES } from '../../tests/server/probe/target.ts';
import { offersTokens, type Profile, profileIn } from '../../tests/server/profile.ts';
import { UNVERIFIED } from '../../tests/server/report/report.ts';
import { feedRows, requests } from '../../tests/server/requests.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { realClock } from '../../tests/support/clock.ts';
import { parseDuration } from '../../tests/support/options.ts';
import { runSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Undefined where nothing is declared. Throws MockError for an invalid profile. */
export async function profileOf(nameOrFile: string | undefined): Promise<Profile | undefined> {
  const { name, document } = await loadProfile(nameOrFile || SPECIFICATION);
  return name === SPECIFICATION ? undefined : profileIn(document as Record<string, unknown>);
}

/** A profile without secrets: an example in the contract may be the very secret, as it is where the mock is judged. */
export const withoutSecrets = (profile: Profile | undefined): Profile | undefined =>
  profile && { ...profile, document: runSecrets.redact(profile.document) };

/** Throws UsageError for a mistake in `env`, before anything is sent. */
export function checkTarget(env: NodeJS.ProcessEnv, profile: Profile | undefined): void {
  if ('MRS_BASE_URL' in env) readTarget(env, profile);
  else readBundled(env);
}

/** Prints the requests of a run, and sends none. Throws UsageError for a mistake in `env`. */
export async function printPlan(env: NodeJS.ProcessEnv, profile: Profile | undefined): Promise<void> {
  await using mock = await bundledMock(env);
  const { baseUrl, clientId, healthPaths } = readTarget({ ...env, ...mock?.variables }, profile);
  const rows = offersTokens(profile) ? requests : feedRows;
  const head = `${baseUrl}, client ${clientId}. Nothing was sent.\nA run would send these requests, and some of them again: ${BUDGET} at most.`;
  const health = healthPaths.map((check) => `the health check ${check}, without a token and with one`);
  console.log([head, '', ...rows.map(({ what }) => what), ...health].join('\n'));
}

/** Sends the requests of a run, to the bundled mock if no deployment is named. */
export async function gatherEvidence(
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  print?: Print,
): Promise<Evidence> {
  if (!verifiesCertificates(env)) console.error(`Warning: ${UNVERIFIED}`);
  await using mock = await bundledMock(env);
  const target = readTarget({ ...env, ...mock?.variables }, profile);
  // They were read: no program that this one starts needs them.
  const held = (target.gatewayHeaders ?? []).map(({ variable }) => variable);
  for (const name of [...SECRET_VARIABLES, ...held]) delete process.env[name];
  const evidence = await gather(target, {
    ...{ secrets: runSecrets, clock: realClock },
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
  if (process.stderr.isTTY) return (text) => void process.stderr.write(`\r\x1b[2K${text.slice(0, 79)}`);
  if (print !== 'text') return () => {};
  const publisher = createPublisher(runSecrets);
  publisher.print(`Checking ${baseUrl} as client ${clientId}`);
  let reportedAt = performance.now();
  return (text) => {
    if (!text.startsWith('waiting') || performance.now() - reportedAt < EVERY_MS) return;
    publisher.print(text);
    reportedAt = performance.now();
  };
}

// The mock as the deployment to judge, where none is named.

/** Whoever sets one of these means a deployment, and must not be shown the mock's verdict for it. */
const OF_A_DEPLOYMENT = [
  ...['MRS_CLIENT_ID', ...SECRET_VARIABLES, 'MRS_CA', 'MRS_HEADER', 'MRS_USER_AGENT', 'MRS_HEALTH_PATHS'],
  ...['MRS_BASELINE', 'MRS_SAFE', 'MRS_ALLOW_HTTP'],
];

/** The options of the bundled mock. Throws UsageError where `env` means another deployment, or may have lost it. */
function readBundled(env: NodeJS.ProcessEnv): { tokenLifetime?: number; profile?: string } {
  // One that is set to nothing has lost its value, and perhaps a URL with it.
  const stray = OF_A_DEPLOYMENT.find((name) => env[name] !== undefined);
  if (stray)
    throw new UsageError(
      `${stray} is set${env[stray] ? '' : ' to nothing'}, and --base-url (MRS_BASE_URL) is not set. Give the URL to judge that deployment, or leave out both to judge the mock.`,
    );
  const { MRS_TOKEN_LIFETIME: lifetime, MRS_PROFILE: profile, CI = '' } = env;
  if (!isOn('MRS_MOCK', env) && !/^(0|false)?$/i.test(CI))
    throw new UsageError(
      '--base-url (MRS_BASE_URL) is not set, and CI is set, so that no mock is judged by mistake. Give the URL, or --mock (MRS_MOCK=1) to judge the bundled mock.',
    );
  if (profile && !profileNames().includes(profile))
    throw new UsageError(
      `--profile (MRS_PROFILE) is "${profile}", a file that describes a deployment, but --base-url (MRS_BASE_URL) is not set. Give the URL, or name a profile of this package to judge the mock.`,
    );
  return {
    ...(profile && { profile }),
    ...(lifetime && { tokenLifetime: parseDuration(lifetime, optionOf('MRS_TOKEN_LIFETIME')) }),
  };
}

/** The mock, with the variables by which the suite finds it; undefined where a deployment is named. */
async function bundledMock(env: NodeJS.ProcessEnv) {
  if ('MRS_BASE_URL' in env) return undefined;
  const options = readBundled(env);
  const { startMock } = await import('../index.ts');
  const { clients, url, healthPaths, controlKey, close } = await startMock(options);
  const [client] = clients;
  return {
    variables: {
      ...{ MRS_BASE_URL: url, MRS_CLIENT_ID: client?.id ?? '', MRS_CLIENT_SECRET: client?.secret ?? '' },
      MRS_TOKEN_LIFETIME: String(client?.tokenLifetimesSeconds[0]),
      ...{ MRS_HEALTH_PATHS: healthPaths.join(','), MRS_MOCK_CONTROL_KEY: controlKey ?? '' },
    },
    [Symbol.asyncDispose]: close,
  };
}
