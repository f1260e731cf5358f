/** The mock as the deployment to judge, where none is named. */
import { profileNames } from '../../mocks/contract/profile.ts';
import { optionOf, SECRET_VARIABLES } from '../../tests/server/probe/target.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

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

export interface BundledMock extends AsyncDisposable {
  /** The variables by which the suite finds it. */
  variables: Record<string, string>;
}

/** The options of the bundled mock. Throws UsageError where `env` means another deployment. */
export function readBundled(env: NodeJS.ProcessEnv): { tokenLifetime?: number; profile?: string } {
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

export async function startBundledMock(env: NodeJS.ProcessEnv): Promise<BundledMock> {
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
