/**
 * Runs a wrong or a permitted client as a program: `node dist/tests/client/corpus/run.js NAME`, with the variables of the
 * reference clients. Without a name, and with one that nobody has, it prints the names.
 */

import { permittedClients } from './permitted.ts';
import { runClient } from './run-client.ts';
import { wrongClients } from './wrong.ts';

const { env, argv } = process;
const subjects = [...wrongClients, ...permittedClients];
const subject = subjects.find(({ name }) => name === argv[2]);

if (subject) {
  const client = runClient(
    {
      baseUrl: env.MRS_BASE_URL ?? '',
      clientId: env.MRS_CLIENT_ID ?? '',
      clientSecret: env.MRS_CLIENT_SECRET ?? '',
      tokenLifetimeSeconds: Number(env.MRS_TOKEN_LIFETIME),
      pollSeconds: Number(env.MRS_POLL_INTERVAL ?? 0.2),
    },
    subject.behaviour,
  );
  process.once('SIGTERM', () => void client.stop());
  process.exitCode = await client.ended;
} else {
  for (const { name, summary } of subjects) console.log(`${name}: ${summary}`);
  process.exitCode = argv[2] === undefined ? 0 : 2;
}
