/**
 * Runs a wrong or a permitted client, or reader of a feed, as a program: `node dist/tests/client/corpus/run.js NAME`, with
 * the variables of the reference clients. Without a name, and with an unknown one, it prints the names.
 */

import { runReader } from './feed-reader.ts';
import { environmentIn, runClient } from './parts.ts';
import { permittedClients } from './permitted.ts';
import { permittedReaders, wrongReaders } from './readers.ts';
import { wrongClients } from './wrong.ts';

const { env, argv } = process;
const subjects = [...wrongClients, ...permittedClients];
const subject = subjects.find(({ name }) => name === argv[2]);
const readers = [...wrongReaders, ...permittedReaders];
const reader = readers.find(({ name }) => name === argv[2]);
const pollSeconds = Number(env.MRS_POLL_INTERVAL ?? 0.2);

if (subject) {
  const client = runClient({ ...environmentIn(env), pollSeconds }, subject.behaviour);
  process.once('SIGTERM', () => void client.stop());
  process.exitCode = await client.ended;
} else if (reader) {
  const report = (records: number) => console.log(JSON.stringify({ records }));
  const running = runReader({ url: env.MRS_DATA_URL ?? '', pollSeconds, report }, reader.behaviour);
  process.once('SIGTERM', () => void running.stop());
  process.exitCode = await running.ended;
} else {
  for (const { name, summary } of [...subjects, ...readers]) console.log(`${name}: ${summary}`);
  process.exitCode = argv[2] === undefined ? 0 : 2;
}
