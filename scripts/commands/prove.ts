/** `mrs prove`: shows that the suite finds each defect, for its own reason, and accepts what is permitted. */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { wrap } from '../../tests/report/wrap.ts';
import { keepProof, suiteDigest } from '../../tests/support/proof.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { listOfDeployments } from '../mock/list-deployments.ts';
import type { ClientProof } from '../prove/clients.ts';
import { proveFeeds } from '../prove/feeds.ts';
import { judgeProof, renderProof } from '../prove/result.ts';
import { type DeploymentResults, runDeployments } from '../prove/run-deployments.ts';
import {
  type ClientSelection,
  checkNames,
  type ReaderSelection,
  sampleClients,
  sampleReaders,
  selectClients,
  selectReaders,
} from '../prove/select-clients.ts';
import { type FeedSelection, sampleFeeds, selectFeeds } from '../prove/select-feeds.ts';
import { type Selection, sampleDeployments, selectDeployments } from '../prove/selection.ts';
import { differences, readVerdicts, type Verdicts, verdictsOf, writeVerdicts } from '../prove/verdicts.ts';
import { addOptions, eachValue, type OptionTable, type OptionValues } from './options.ts';

export const PROVE_OPTIONS = {
  only: {
    flag: '--only <name>',
    help: 'run only this defect, variant, client, reader or feed; repeat the flag for more',
    parse: eachValue,
  },
  sample: { flag: '--sample', help: 'run only a fixed sample, in which each requirement has a defect' },
  verdicts: {
    flag: '--verdicts <file>',
    help: 'compare each verdict with this file, and fail where one differs',
  },
  writeVerdicts: { flag: '--write-verdicts <file>', help: 'write each verdict into this file' },
  list: { flag: '--list', help: 'list the defects, variants, clients, readers and feeds, and exit' },
} as const satisfies OptionTable;

export function proveCommand(): Command {
  const command = new Command('prove')
    .summary('test the judges on deployments, clients and feeds with known defects')
    .description(
      'Judges mocks that each violate the specification in one way, and mocks that differ only where the ' +
        'specification is open. Each defect must be found for the stated reason, each variant must be conformant. ' +
        'Does the same with clients and with readers of feeds: wrong ones must be caught, permitted ones certified. ' +
        'Does the same with feeds: wrong ones must be reported by the right rule, permitted ones accepted.',
    )
    .allowExcessArguments(false);
  return addOptions(command, PROVE_OPTIONS)
    .addHelpText('after', '\nExit codes: 0 the proof holds, 1 it does not, 2 it could not be run.')
    .action(
      async ({
        only = [],
        sample,
        list,
        verdicts,
        writeVerdicts: written,
      }: OptionValues<typeof PROVE_OPTIONS>) => {
        if (sample && only.length > 0)
          throw new UsageError('--sample is fixed, and --only names something else. Leave one of them out.');
        checkNames(only);
        const { clients, readers, feeds, deployments } = sample
          ? {
              clients: sampleClients(),
              readers: sampleReaders(),
              feeds: sampleFeeds(),
              deployments: sampleDeployments(),
            }
          : selectNamed(only);
        if (list) {
          const lists = [
            ...(deployments ? [listOfDeployments(deployments.defects, deployments.variants)] : []),
            ...listsOf(
              clients,
              'clients. Each is wrong in one way; it',
              'clients. Each differs from most clients; it',
            ),
            ...listsOf(
              readers,
              'readers of feeds. Each is wrong in one way; it',
              'readers of feeds. Each differs from most readers; it',
            ),
            ...listsOf(
              feeds,
              'feeds. Each is wrong in one way; it',
              'feeds. Each differs from most feeds; it',
            ),
          ];
          console.log(lists.join('\n\n'));
          return;
        }
        const expected = verdicts === undefined ? undefined : readVerdicts(verdicts);
        const seen: Verdicts = new Map();
        process.exitCode = Math.max(
          await prove(clients, readers, deployments, seen),
          await proveAndPrintFeeds(feeds, seen),
          expected ? printDifferences(differences(expected, seen, only.length === 0 && !sample)) : 0,
        );
        if (written !== undefined) writeVerdicts(written, seen);
      },
    );
}

interface Subjects {
  clients: ClientSelection;
  readers: ReaderSelection;
  feeds: FeedSelection;
  /** Undefined where only clients, readers and feeds are named. */
  deployments: Selection | undefined;
}

/** Everything where nothing is named. */
function selectNamed(only: readonly string[]): Subjects {
  const clients = selectClients(only);
  const readers = selectReaders(only);
  const feeds = selectFeeds(only);
  const names = [clients, readers, feeds]
    .flatMap(({ wrong, permitted }) => [wrong, permitted])
    .flat()
    .map(({ name }: { name: string }) => name);
  const others = only.filter((name) => !names.includes(name));
  const hasDeployments = only.length === 0 || others.length > 0;
  return { clients, readers, feeds, deployments: hasDeployments ? selectDeployments(others) : undefined };
}

/**
 * The exit code: 0 where the proof holds, 1 where it does not, 2 where it could not be run. The clients, which wait
 * most of the time, are examined in this thread, while the deployments are judged in others.
 */
async function prove(
  clients: ClientSelection,
  readers: ReaderSelection,
  deployments: Selection | undefined,
  verdicts: Verdicts,
): Promise<number> {
  const hasClients = [clients, readers].some(({ wrong, permitted }) => wrong.length + permitted.length > 0);
  const threads = Math.max(1, availableParallelism() - (hasClients ? 1 : 0));
  const [ofClients, results] = await Promise.all([
    hasClients
      ? import('../prove/clients.ts').then(({ proveClients }) => proveClients(clients, readers))
      : undefined,
    deployments && runDeployments(deployments, threads),
  ]);
  for (const [name, { outcome, items }] of results?.reports ?? [])
    verdicts.set(`deployment ${name}`, verdictsOf(outcome, items));
  for (const kind of ['clients', 'readers'] as const)
    for (const [name, text] of ofClients?.[kind].verdicts ?? [])
      verdicts.set(`${kind.slice(0, -1)} ${name}`, text);
  // The long matrix first: what is at the end is read first.
  return Math.max(
    deployments && results ? printDeployments(results, deployments) : 0,
    ofClients ? printClients('client', ofClients.clients, clients) : 0,
    ofClients ? printClients('reader', ofClients.readers, readers) : 0,
  );
}

function printClients(
  noun: string,
  { caught, certified, faults }: ClientProof,
  { wrong, permitted }: ClientSelection | ReaderSelection,
): 0 | 1 {
  if (wrong.length + permitted.length === 0) return 0;
  for (const fault of faults) console.log(`${wrap(fault, 80).join('\n')}\n`);
  console.log(
    `${noun}s: ${caught}/${wrong.length} wrong ${noun}s caught for the stated reason, ` +
      `${certified}/${permitted.length} permitted ${noun}s certified`,
  );
  return faults.length === 0 ? 0 : 1;
}

async function proveAndPrintFeeds({ wrong, permitted }: FeedSelection, verdicts: Verdicts): Promise<0 | 1> {
  if (wrong.length + permitted.length === 0) return 0;
  const { reported, accepted, faults, verdicts: ofFeeds } = await proveFeeds({ wrong, permitted });
  for (const [name, text] of ofFeeds) verdicts.set(`feed ${name}`, text);
  for (const fault of faults) console.log(`${wrap(fault, 80).join('\n')}\n`);
  console.log(
    `feeds: ${reported}/${wrong.length} wrong feeds reported by the right rule, ` +
      `${accepted}/${permitted.length} permitted feeds accepted`,
  );
  return faults.length === 0 ? 0 : 1;
}

function printDifferences(sentences: readonly string[]): 0 | 1 {
  for (const sentence of sentences) console.log(`\n${wrap(sentence, 80).join('\n')}`);
  console.log(`verdicts: ${sentences.length === 0 ? 'as in the file' : `${sentences.length} differ`}`);
  return sentences.length === 0 ? 0 : 1;
}

/** Keeps the proof for the reports of runs, where it is whole and holds. */
function printDeployments({ reports, problems }: DeploymentResults, selection: Selection): 0 | 1 | 2 {
  const result = judgeProof(ledger, selection, reports, problems);
  const digest = suiteDigest();
  if (selection.scope === 'whole') keepProof(result.exitCode === 0 ? { ...result.proof, digest } : undefined);
  console.log(renderProof(result, digest));
  return result.exitCode;
}

interface Named {
  name: string;
  summary: string;
}

/** In 80 columns, as the list of deployments is. */
function listsOf(
  { wrong, permitted }: { wrong: readonly Named[]; permitted: readonly Named[] },
  wrongTitle: string,
  permittedTitle: string,
): string[] {
  const list = (subjects: readonly Named[], title: string) =>
    subjects.length === 0
      ? []
      : [[title, ...subjects.flatMap(({ name, summary }) => [name, ...indented(`${summary}.`)])].join('\n')];
  return [
    ...list(wrong, `${wrong.length} wrong ${wrongTitle}`),
    ...list(permitted, `${permitted.length} permitted ${permittedTitle}`),
  ];
}

const indented = (text: string): string[] => wrap(text, 76).map((line) => `    ${line}`);
