/** The evidence of a run: the requests are sent to the deployment that the options name, or to the bundled mock. */
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { defined } from '../../mocks/journal.ts';
import { asWritten } from '../../tests/report/publish.ts';
import type { Print } from '../../tests/report/terminal.ts';
import { verifiesCertificates } from '../../tests/server/probe/connection.ts';
import { BUDGET } from '../../tests/server/probe/http.ts';
import { variablesOf } from '../../tests/server/probe/options.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { type GivenDeployment, readTarget, type Target } from '../../tests/server/probe/target.ts';
import { offersTokens, type Profile, profileIn } from '../../tests/server/profile.ts';
import { UNVERIFIED } from '../../tests/server/report/report.ts';
import { feedRows, requests } from '../../tests/server/requests.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { realClock } from '../../tests/support/clock.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Undefined where nothing is declared. Throws MockError for an invalid profile. */
export async function profileOf(nameOrFile: string | undefined): Promise<Profile | undefined> {
  const { name, document } = await loadProfile(nameOrFile || SPECIFICATION);
  return name === SPECIFICATION ? undefined : profileIn(document as Record<string, unknown>);
}

/** A profile without secrets: an example in the contract may be the very secret, as it is where the mock is judged. */
export const withoutSecrets = (profile: Profile | undefined, secrets: Secrets): Profile | undefined =>
  profile && { ...profile, document: secrets.redact(profile.document) };

/** Throws UsageError for a mistake in the options, before anything is sent. */
export function checkTarget(given: GivenDeployment, profile: Profile | undefined): void {
  if (isNamed(given)) readTarget(given, profile);
  else readBundled(given);
}

/** Whether a deployment is named. Where its URL is set to nothing, it may not be taken for the mock. */
export const isNamed = ({ values, empty }: GivenDeployment): boolean =>
  values.baseUrl !== undefined || empty.includes('baseUrl');

/** Prints the requests of a run, and sends none. Throws UsageError for a mistake in the options. */
export async function printPlan(given: GivenDeployment, profile: Profile | undefined): Promise<void> {
  await using mock = await bundledMock(given);
  const { baseUrl, clientId, healthPaths } = readTarget(mock?.given ?? given, profile);
  const rows = offersTokens(profile) ? requests : feedRows;
  const head = `${baseUrl}, client ${clientId}. Nothing was sent.\nA run would send these requests, and some of them again: ${BUDGET} at most.`;
  const health = healthPaths.map((check) => `the health check ${check}, without a token and with one`);
  console.log([head, '', ...rows.map(({ what }) => what), ...health].join('\n'));
}

/**
 * Sends the requests of a run, to the bundled mock if no deployment is named, until `signal` is aborted. `secrets` learns those of
 * the run.
 */
export async function gatherEvidence(
  given: GivenDeployment,
  profile: Profile | undefined,
  { secrets, print, signal }: { secrets: Secrets; print?: Print; signal?: AbortSignal },
): Promise<Evidence> {
  if (!verifiesCertificates(process.env)) console.error(`Warning: ${UNVERIFIED}`);
  await using mock = await bundledMock(given);
  const target = readTarget(mock?.given ?? given, profile);
  // They were read: no program that this one starts needs them.
  const held = (target.gatewayHeaders ?? []).map(({ variable }) => variable);
  for (const name of [...variablesOf(({ isSecret }) => isSecret), ...held]) delete process.env[name];
  const evidence = await gather(target, {
    ...{ secrets, clock: realClock },
    progress: createProgress(target, secrets, print),
    ...(profile && { profile }),
    ...(signal && { signal }),
  });
  if (mock) evidence.target.bundledMock = true;
  return evidence;
}

/** Without a terminal, how often a wait is reported. */
const EVERY_MS = 10_000;

/** One line that replaces itself on a terminal; otherwise a line at the start, and one now and then while the run waits. */
function createProgress(
  { baseUrl, clientId }: Pick<Target, 'baseUrl' | 'clientId'>,
  secrets: Secrets,
  print?: Print,
): (text: string) => void {
  if (process.stderr.isTTY) return (text) => void process.stderr.write(`\r\x1b[2K${text.slice(0, 79)}`);
  if (print !== 'text' && print !== 'commands') return () => {};
  const say = (text: string) => console.log(asWritten(secrets.redact(text)));
  say(`Checking ${baseUrl} as client ${clientId}`);
  let reportedAt = performance.now();
  return (text) => {
    if (!text.startsWith('waiting') || performance.now() - reportedAt < EVERY_MS) return;
    say(text);
    reportedAt = performance.now();
  };
}

// The mock as the deployment to judge, where none is named.

/** One of them is set in a CI job: by most servers, Azure Pipelines, Jenkins, TeamCity, AWS CodeBuild. */
const CI_VARIABLES = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION', 'CODEBUILD_BUILD_ID'];

/** The options of the bundled mock. Throws UsageError where a user means another deployment, or may have lost it. */
function readBundled({ table, values, empty, called }: GivenDeployment) {
  const url = called('baseUrl');
  const given = [...Object.keys(values), ...empty];
  // One that is set to nothing has lost its value, and perhaps a URL with it.
  const [stray] =
    Object.entries(table).find(
      ([name, { variable, isForMock }]) => variable !== undefined && !isForMock && given.includes(name),
    ) ?? [];
  if (stray !== undefined)
    throw new UsageError(
      `${called(stray)} is set${stray in values ? '' : ' to nothing'}, and ${url} is not set. Give the URL to judge that deployment, or leave out both and give --mock to judge the mock.`,
    );
  const { mock, tokenLifetime, profile } = values;
  const ofCi = CI_VARIABLES.find((name) => !/^(0|false)?$/i.test(process.env[name] ?? ''));
  if (!mock && ofCi !== undefined)
    throw new UsageError(
      `${url} is not set, and ${ofCi} is set, so that no mock is judged by mistake. Give the URL, or ${called('mock')} to judge the bundled mock.`,
    );
  if (profile !== undefined && !profileNames().includes(profile))
    throw new UsageError(
      `${called('profile')} is "${profile}", a file that describes a deployment, but ${url} is not set. Give the URL, or name a profile of this package to judge the mock.`,
    );
  return { ...(profile !== undefined && { profile }), ...(tokenLifetime !== undefined && { tokenLifetime }) };
}

/** The mock, with the options by which the suite finds it; undefined where a deployment is named. */
async function bundledMock(given: GivenDeployment) {
  if (isNamed(given)) return undefined;
  const options = readBundled(given);
  const { startMock } = await import('../mock/index.ts');
  const { clients, url: baseUrl, healthPaths, controlKey, close } = await startMock(options);
  const [{ id: clientId = '', secret: clientSecret = '', tokenLifetimesSeconds: [tokenLifetime] = [] } = {}] =
    clients;
  const checks = healthPaths.length > 0 ? [...healthPaths] : undefined;
  const its = { baseUrl, clientId, clientSecret, tokenLifetime, mockControlKey: controlKey };
  const values = { ...given.values, ...defined({ ...its, healthPaths: checks }) };
  return { given: { ...given, values }, [Symbol.asyncDispose]: close };
}
