/** Before the suite, where no deployment is named: starts the mock in this process, as the deployment to judge. */
import { startMock } from '../mocks/index.ts';
import { parseDuration } from '../tests/support/duration.ts';
import { UsageError } from '../tests/support/usage-error.ts';

/** Whoever sets one of these means a deployment, and must not be shown the mock's verdict for it. */
const OF_A_DEPLOYMENT = [
  'MRS_CLIENT_ID',
  'MRS_CLIENT_SECRET',
  'MRS_CLIENT_SECRET_FILE',
  'MRS_EXPIRED_TOKEN',
  'MRS_HEALTH_PATHS',
  'MRS_MOCK_CONTROL_KEY',
  'MRS_TOKEN_VAULT',
  'MRS_BASELINE',
];

export default async function startEmbeddedMock(): Promise<() => Promise<void>> {
  const stray = OF_A_DEPLOYMENT.find((name) => process.env[name]);
  if (stray)
    throw new UsageError(
      `${stray} is set, but MRS_BASE_URL is not. Set it to judge that deployment; unset it to judge the mock.`,
    );
  const { MRS_TOKEN_LIFETIME } = process.env;
  const mock = await startMock({
    ...(MRS_TOKEN_LIFETIME && {
      tokenLifetimeSeconds: parseDuration(MRS_TOKEN_LIFETIME, 'MRS_TOKEN_LIFETIME'),
    }),
  });
  const [client] = mock.clients;
  Object.assign(process.env, {
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: client?.id,
    MRS_CLIENT_SECRET: client?.secret,
    MRS_TOKEN_LIFETIME: String(client?.tokenLifetimeSeconds),
    MRS_HEALTH_PATHS: mock.healthPaths.join(','),
    MRS_MOCK_CONTROL_KEY: mock.controlKey,
  });
  return () => mock.close();
}
