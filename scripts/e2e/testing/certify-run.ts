/** `mrs certify` as its tests run it, in a process of its own or in this one, and what that left behind. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plain, type Report } from '../../../tests/report/report.ts';
import { outputPath } from '../../../tests/support/testing/output-path.ts';
import { type Ended, filesIn, type Left, leftIn, mrsHere, newFolder, startMrs } from './mrs.ts';

/** `files` are those of the reports. */
export interface Certified extends Left {
  /** What it left in the folder for temporary files. */
  left: readonly string[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A reference client, as a command; a wrong or a permitted one is `corpus(name)`. */
export const reference = (name: 'reactive'): string[] => [
  ...[process.execPath, join(root, `dist/tests/client/corpus/${name}.js`)],
];
export const corpus = (name: string): string[] => [
  ...[process.execPath, join(root, 'dist/tests/client/corpus/run.js'), name],
];

/** The scenarios, as the table of a report has them: `passed`, or what was broken and what kept it from being seen. */
export function scenariosIn(report: Report | undefined) {
  const [block] = report?.sections.find(({ id }) => id === 'scenarios')?.blocks ?? [];
  return (block?.table?.rows ?? []).map(({ cells }) => {
    const [name = '', , calls, measure = '', result = ''] = cells.map(plain);
    return { name, calls: Number(calls), measure, result };
  });
}

export const only = (...names: string[]): string[] => names.flatMap((name) => ['--scenario', name]);

/** A folder of its own, and little in its environment but `env`. `before`: files among the reports. */
function prepare(env: Record<string, string> = {}, before: readonly string[] = []) {
  const cwd = newFolder();
  const [directory, temporary] = [join(cwd, 'reports', 'certify'), join(cwd, 'temporary')];
  for (const folder of [directory, temporary]) mkdirSync(folder, { recursive: true });
  for (const file of before) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), 'before');
  }
  return {
    place: { cwd, env: { TMPDIR: temporary, MRS_POLL_INTERVAL: '0.05', ...env } },
    outcome: (ended: Ended): Certified => ({
      ...leftIn(directory, ended),
      left: Object.keys(filesIn(temporary)),
    }),
  };
}

/** In a process of its own, which a test can end. */
export function startCertify(args: readonly string[]) {
  const { place, outcome } = prepare();
  const { child, ended } = startMrs(['certify', ...args], place);
  return { mrs: child, ended: ended.then(outcome) };
}

/** In this process; the clients have their own. */
export async function certify(
  args: readonly string[],
  ...[env, before]: Parameters<typeof prepare>
): Promise<Certified> {
  const { place, outcome } = prepare(env, before);
  return outcome(await mrsHere(['certify', ...args], place));
}

/** A program for `node`, as a command. */
export function program(source: string): string[] {
  const file = outputPath(`${randomUUID()}.mjs`);
  writeFileSync(file, source);
  return [process.execPath, file];
}
