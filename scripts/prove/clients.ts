/** The proof of the examination of clients: each wrong one is caught for its reason, each permitted one certified. */
import type { Named, Permitted, PermittedClient, Wrong } from '../../tests/client/corpus/subject.ts';
import type { Certificate } from '../../tests/client/judge.ts';
import { examineSubjects } from './examine-subjects.ts';
import type { ClientSelection, ReaderSelection } from './select-clients.ts';
import { verdictsOf } from './verdicts.ts';

export interface ClientProof {
  caught: number;
  certified: number;
  /** Sentences. */
  faults: readonly string[];
  /** Of each client by its name. */
  verdicts: Map<string, string>;
}

/** Examines all of them: clients with tokens, and readers of a feed without. */
export async function proveClients(
  clients: ClientSelection,
  readers: ReaderSelection,
): Promise<{ clients: ClientProof; readers: ClientProof }> {
  const certificates = await examineSubjects(
    [...clients.wrong, ...clients.permitted],
    [...readers.wrong, ...readers.permitted],
  );
  const proofOf = ({ wrong, permitted }: ClientSelection | ReaderSelection): ClientProof => {
    const of = (subject: (typeof wrong | typeof permitted)[number]) =>
      certificates.get(subject) as Certificate;
    const ofWrong = wrong.map((subject) => wrongClientFaults(subject, of(subject)));
    const ofPermitted = permitted.map((subject) => permittedClientFaults(subject, of(subject)));
    const isClean = (faults: string[]) => faults.length === 0;
    return {
      caught: ofWrong.filter(isClean).length,
      certified: ofPermitted.filter(isClean).length,
      faults: [...ofWrong, ...ofPermitted].flat(),
      verdicts: new Map(
        [...wrong, ...permitted].map((subject) => {
          const { outcome, rules } = of(subject);
          // What else a mistake breaks, and what comes up by chance, differs between runs.
          const also = 'also' in subject ? (subject.also ?? []) : [];
          const broken = rules.filter(({ id, findings }) => findings.length > 0 && !also.includes(id));
          return [subject.name, verdictsOf(outcome, broken)];
        }),
      ),
    };
  };
  return { clients: proofOf(clients), readers: proofOf(readers) };
}

/** What is not as it should be with a client that is wrong in one way. */
export function wrongClientFaults(
  { name, catches, also = [] }: Named & Wrong,
  { rules }: Certificate,
): string[] {
  const broken = rules.filter(({ findings }) => findings.length > 0);
  return [
    ...unsaid(name, catches, rules),
    ...broken
      .filter(({ id }) => !(id in catches) && !also.includes(id))
      .map(
        ({ id, findings }) =>
          `${name}: ${id} was found broken, which this client does not explain. ${inWords(findings)}`,
      ),
  ];
}

/** The same with one that differs from most, as is permitted. */
export function permittedClientFaults(
  { name, strategy, warns = {} }: Named & Permitted & Partial<Pick<PermittedClient, 'strategy'>>,
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
    ...(strategy === undefined || certificate.strategy === strategy
      ? []
      : [`${name}: its strategy is ${strategy}, and ${certificate.strategy} was seen.`]),
    ...odd.map(({ id, findings }) => `${name} is permitted, and ${id} found: ${inWords(findings)}`),
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

const inWords = (findings: Certificate['rules'][number]['findings']): string =>
  `In ${findings[0]?.scenario}: ${findings[0]?.seen}`;
