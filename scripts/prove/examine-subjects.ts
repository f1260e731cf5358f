/** Examines the clients and the readers of feeds of a proof, in this process and by its clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runReader } from '../../tests/client/corpus/reader/feed-reader.ts';
import type { PermittedReader, WrongReader } from '../../tests/client/corpus/reader/reader-subject.ts';
import { runClient } from '../../tests/client/corpus/run-client.ts';
import type { Subject } from '../../tests/client/corpus/subject.ts';
import { type Catalogue, type Certificate, certificateOf, OF_CLIENTS } from '../../tests/client/judge.ts';
import { type ExamineOptions, examine } from '../certify/examine.ts';
import { startProcessClock } from '../certify/process-clock.ts';
import type { StartClient } from '../certify/program.ts';
import { scenarios, subjectUnder } from '../certify/scenarios.ts';

export type ReaderSubject = WrongReader | PermittedReader;

/** Subjects at a time in this process: each has a mock for every scenario, and a process may open only so many files. */
const AT_ONCE = 48;
/** Between two reads of a subject. */
const POLL_SECONDS = 0.15;
/** By the clock of the process. A reader that waits for two slow answers of `data-timeout` needs 24 s and its other reads. */
const DEADLINE_SECONDS = 30;
/** The profile of the feed that readers read. */
const FEED = 'static-feed';

/** The certificate of each. */
export async function examineSubjects(
  clients: readonly Subject[],
  readers: readonly ReaderSubject[],
): Promise<Map<Subject | ReaderSubject, Certificate>> {
  using clock = startProcessClock();
  const scratch = mkdtempSync(join(tmpdir(), 'mrs-proof-'));
  const certificates = new Map<Subject | ReaderSubject, Certificate>();
  const feed = await subjectUnder(FEED);
  const limits = { scratch, deadlineSeconds: DEADLINE_SECONDS, clock };

  async function certify(
    subject: Subject | ReaderSubject,
    catalogue: Catalogue,
    options: Pick<ExamineOptions, 'start' | 'scenarios' | 'profile' | 'processes'>,
  ): Promise<void> {
    certificates.set(subject, certificateOf(await examine({ ...limits, ...options }), catalogue));
  }

  const startReader =
    ({ behaviour }: ReaderSubject): StartClient =>
    async ({ MRS_DATA_URL: url }, _scenario, report) => {
      const reader = runReader({ url, pollSeconds: POLL_SECONDS, report, clock }, behaviour);
      return { ended: reader.ended.then((code) => ({ code })), stop: reader.stop };
    };

  const startClient =
    ({ behaviour, processes = 1 }: Subject): StartClient =>
    async (variables) => {
      const environment = {
        baseUrl: variables.MRS_BASE_URL,
        clientId: variables.MRS_CLIENT_ID,
        clientSecret: variables.MRS_CLIENT_SECRET,
        tokenLifetimeSeconds: Number(variables.MRS_TOKEN_LIFETIME),
        pollSeconds: POLL_SECONDS,
        clock,
      };
      const running = Array.from({ length: processes }, () => runClient(environment, behaviour));
      return {
        ended: Promise.all(running.map(({ ended }) => ended)).then((codes) => ({ code: Math.max(...codes) })),
        async stop() {
          await Promise.all(running.map((client) => client.stop()));
        },
      };
    };

  const waiting = [
    ...readers.map((reader) => () => {
      const { scenarios: all, catalogue } = feed;
      return certify(reader, catalogue, { start: startReader(reader), scenarios: all, profile: FEED });
    }),
    ...clients.map((client) => () => {
      const { processes = 1 } = client;
      return certify(client, OF_CLIENTS, { start: startClient(client), scenarios, processes });
    }),
  ];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane)).finally(() =>
    rmSync(scratch, { recursive: true, force: true }),
  );
  return certificates;
}
