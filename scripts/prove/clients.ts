/** The proof of the examination of clients: each wrong one is caught for its reason, each permitted one certified. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../../tests/client/certificate.ts';
import { runClient } from '../../tests/client/corpus/run-client.ts';
import type { PermittedClient, Subject, WrongClient } from '../../tests/client/corpus/subject.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import type { ClientVariables } from '../certify/client-variables.ts';
import { examine } from '../certify/examine.ts';
import { type ProcessClock, startProcessClock } from '../certify/process-clock.ts';
import { scenarios } from '../certify/scenario-catalogue.ts';
import type { ClientSelection } from './select-clients.ts';

export interface ClientProof {
  caught: number;
  certified: number;
  /** Sentences. */
  faults: readonly string[];
}

/** Clients at a time in this process: they wait most of the time, and more would delay each other's answers. */
const AT_ONCE = 16;
/** Between two reads of a client; the proof shall not take longer than it must. */
const POLL_SECONDS = 0.15;

/** By the clock of the process. A client that backs off takes long to notice the end of its second token. */
const DEADLINE_SECONDS = 20;

/** Examines all of them. */
export async function proveClients({ wrong, permitted }: ClientSelection): Promise<ClientProof> {
  using clock = startProcessClock();
  const scratch = mkdtempSync(join(tmpdir(), 'mrs-proof-'));
  const waiting: Subject[] = [...wrong, ...permitted];
  const certificates = new Map<Subject, Certificate>();
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      certificates.set(next, await certificateFor(next, scratch, clock));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane)).finally(() =>
    rmSync(scratch, { recursive: true, force: true }),
  );
  const faultsOf = <Kind extends Subject>(
    subjects: readonly Kind[],
    judge: (subject: Kind, certificate: Certificate) => string[],
  ) => subjects.map((subject) => judge(subject, certificates.get(subject) as Certificate));
  const ofWrong = faultsOf(wrong, wrongClientFaults);
  const ofPermitted = faultsOf(permitted, permittedClientFaults);
  const isClean = (faults: string[]) => faults.length === 0;
  return {
    caught: ofWrong.filter(isClean).length,
    certified: ofPermitted.filter(isClean).length,
    faults: [...ofWrong, ...ofPermitted].flat(),
  };
}

/** What is not as it should be with a client that is wrong in one way. */
export function wrongClientFaults(
  { name, catches, also = [] }: WrongClient,
  { rules }: Certificate,
): string[] {
  const broken = rules.filter(({ findings }) => findings.length > 0);
  return [
    ...unsaid(name, catches, rules),
    ...broken
      .filter(({ id }) => !(id in catches) && !also.includes(id))
      .map(
        ({ id, findings }) =>
          `${name}: ${id} was found broken, which this client does not explain. ${told(findings)}`,
      ),
  ];
}

/** The same with one that does otherwise than most, as is permitted. */
export function permittedClientFaults(
  { name, strategy, warns = {} }: PermittedClient,
  certificate: Certificate,
): string[] {
  const { outcome, rules } = certificate;
  const odd = rules.filter(({ id, findings }) => findings.length > 0 && !(id in warns));
  const untold = Object.keys(warns).filter(
    (id) => !rules.some((rule) => rule.id === id && rule.verdict === 'warned'),
  );
  return [
    ...(outcome === 'conformant'
      ? []
      : [[`${name} is permitted, and came out ${outcome}.`, ...reasonsIn(rules)].join(' ')]),
    ...(certificate.strategy === strategy
      ? []
      : [`${name}: its strategy is ${strategy}, and ${certificate.strategy} was seen.`]),
    ...odd.map(({ id, findings }) => `${name} is permitted, and ${id} found: ${told(findings)}`),
    ...untold.map((id) => `${name}: ${id} should have warned.`),
    ...unsaid(name, Object.fromEntries(Object.entries(warns).filter(([id]) => !untold.includes(id))), rules),
  ];
}

/** Why rules could not be judged, each once. */
const reasonsIn = (rules: Certificate['rules']): string[] => [
  ...new Set(rules.flatMap(({ verdict, reason }) => (verdict === 'could-not-run' ? (reason ?? []) : []))),
];

/** What the rules should have said, each in one of its findings, and did not. */
function unsaid(
  name: string,
  expected: Readonly<Record<string, RegExp>>,
  rules: Certificate['rules'],
): string[] {
  return Object.entries(expected).flatMap(([id, pattern]) => {
    const said = rules.find((rule) => rule.id === id)?.findings.map(({ seen }) => seen) ?? [];
    if (said.some((seen) => pattern.test(seen))) return [];
    const instead = said.length > 0 ? `It said: ${said[0]}` : 'It found nothing.';
    return [`${name}: ${id} should have said ${pattern}. ${instead}`];
  });
}

const told = (findings: Certificate['rules'][number]['findings']): string =>
  `In ${findings[0]?.scenario}: ${findings[0]?.seen}`;

async function certificateFor(
  { behaviour, processes = 1 }: Subject,
  scratch: string,
  clock: ProcessClock,
): Promise<Certificate> {
  const start = async (variables: ClientVariables) => {
    const clients = Array.from({ length: processes }, () =>
      runClient(
        {
          baseUrl: variables.MRS_BASE_URL,
          clientId: variables.MRS_CLIENT_ID,
          clientSecret: variables.MRS_CLIENT_SECRET,
          tokenLifetimeSeconds: Number(variables.MRS_TOKEN_LIFETIME),
          pollSeconds: POLL_SECONDS,
          clock,
        },
        behaviour,
      ),
    );
    return {
      ended: Promise.all(clients.map(({ ended }) => ended)).then((codes) => ({ code: Math.max(...codes) })),
      async stop() {
        await Promise.all(clients.map((client) => client.stop()));
      },
    };
  };
  return certificateOf(
    await examine({ start, scenarios, scratch, processes, deadlineSeconds: DEADLINE_SECONDS, clock }),
  );
}
