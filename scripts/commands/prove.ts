/** `mrs prove`: shows that the suite finds each defect, for its own reason, and accepts what is permitted. */
import { Command } from 'commander';
import type { Subject } from '../../tests/client/corpus/subject.ts';
import { wrap } from '../../tests/report/wrap.ts';
import { keepProof, suiteDigest } from '../../tests/support/proof.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { listOfDeployments } from '../mock/list-deployments.ts';
import { judgeProof, renderProof } from '../prove/result.ts';
import { runDeployments } from '../prove/run-deployments.ts';
import { type ClientSelection, checkNames, selectClients } from '../prove/select-clients.ts';
import { type Selection, selectDeployments } from '../prove/selection.ts';
import { addOptions, eachValue, type OptionTable, type OptionValues } from './options.ts';

export const PROVE_OPTIONS = {
  only: {
    flag: '--only <name>',
    help: 'run only this defect, variant or client; repeat the flag for more',
    parse: eachValue,
  },
  list: { flag: '--list', help: 'list the defects, variants and clients, and exit' },
} as const satisfies OptionTable;

export function proveCommand(): Command {
  const command = new Command('prove')
    .summary('test the judges on deployments and clients with known defects')
    .description(
      'Judges mocks that each violate the specification in one way, and mocks that differ only where the ' +
        'specification is open. Each defect must be found for the stated reason, each variant must be conformant. ' +
        'Does the same with clients: wrong ones must be caught, permitted ones certified.',
    )
    .allowExcessArguments(false);
  return addOptions(command, PROVE_OPTIONS)
    .addHelpText('after', '\nExit codes: 0 the proof holds, 1 it does not, 2 it could not be run.')
    .action(async ({ only = [], list }: OptionValues<typeof PROVE_OPTIONS>) => {
      checkNames(only);
      const clients = selectClients(only);
      const names = [...clients.wrong, ...clients.permitted].map(({ name }) => name);
      const others = only.filter((name) => !names.includes(name));
      // Nothing named is everything, and what is named alone is nothing else.
      const selection = only.length === 0 || others.length > 0 ? selectDeployments(others) : undefined;
      if (list) {
        const lists = [
          ...(selection ? [listOfDeployments(selection.defects, selection.variants)] : []),
          ...listsOfClients(clients),
        ];
        console.log(lists.join('\n\n'));
        return;
      }
      const ofClients = names.length > 0 ? await tellClients(clients) : 0;
      process.exitCode = Math.max(ofClients, selection ? await proveDeployments(selection) : 0);
    });
}

/** Its exit code. */
async function tellClients(selection: ClientSelection): Promise<0 | 1> {
  const { proveClients } = await import('../prove/clients.ts'); // It brings Prism along, which takes a second.
  const { caught, certified, faults } = await proveClients(selection);
  for (const fault of faults) console.log(`${wrap(fault, 80).join('\n')}\n`);
  const { wrong, permitted } = selection;
  console.log(
    `clients: ${caught}/${wrong.length} wrong clients caught for the stated reason, ` +
      `${certified}/${permitted.length} permitted clients certified\n`,
  );
  return faults.length === 0 ? 0 : 1;
}

/** In 80 columns, as the list of deployments is. */
function listsOfClients({ wrong, permitted }: ClientSelection): string[] {
  const list = (subjects: readonly Subject[], title: string) =>
    subjects.length === 0
      ? []
      : [[title, ...subjects.flatMap(({ name, summary }) => [name, ...indented(`${summary}.`)])].join('\n')];
  return [
    ...list(wrong, `${wrong.length} wrong clients. Each is wrong in one way; it`),
    ...list(permitted, `${permitted.length} permitted clients. Each does otherwise than most; it`),
  ];
}

const indented = (text: string): string[] => wrap(text, 76).map((line) => `    ${line}`);

/** The exit code: 0 where the proof holds, 1 where it does not, 2 where it could not be carried out. */
async function proveDeployments(selection: Selection): Promise<0 | 1 | 2> {
  const { reports, problems } = await runDeployments(selection);
  const result = judgeProof(ledger, selection, reports, problems);
  const digest = suiteDigest();
  if (selection.whole) keepProof(result.exitCode === 0 ? { ...result.proof, digest } : undefined);
  console.log(renderProof(result, digest));
  return result.exitCode;
}
