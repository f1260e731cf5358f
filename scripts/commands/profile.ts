/** `mrs profile` shows what deployments declare about the open points; `mrs types` prints a contract as TypeScript. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { OpenAPI3 } from 'openapi-typescript';
import { stringify } from 'yaml';
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { wrap } from '../../tests/report/wrap.ts';
import { declaredRequirements, profileIn } from '../../tests/server/profile.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { PROFILE_OPTION } from './deployment-options.ts';
import { addOptions, type OptionTable, type OptionValues } from './options.ts';

export function profileCommand(): Command {
  const profile = new Command('profile').description(
    'A profile is an OpenAPI Overlay of openapi.yaml that declares how one deployment behaves where the ' +
      'specification is open. The commands mock, verify, certify, feed and types accept its name or file as --profile.',
  );
  profile
    .command('list')
    .description('list the profiles of this package and what each declares')
    .allowExcessArguments(false)
    .action(async () => console.log(await listOfProfiles()));
  profile
    .command('show <name|file>')
    .description('print the contract with everything that the profile declares, as YAML')
    .allowExcessArguments(false)
    .action(async (name: string) => {
      const { document } = await loadProfile(name);
      process.stdout.write(stringify(document, { lineWidth: 100, aliasDuplicateObjects: false }));
    });
  return profile;
}

const WIDTH = 80;

async function listOfProfiles(): Promise<string> {
  const entries = await Promise.all(
    profileNames().map(async (name) => {
      const { title, document, notOffered } = await loadProfile(name);
      const declared = profileIn(document as Record<string, unknown>);
      const lines = (declared ? declaredRequirements(declared) : []).flatMap(({ id, statement }) => {
        const [first = '', ...rest] = wrap(statement, WIDTH - 12);
        return [
          `  ${(id.split('@')[0] ?? '').padEnd(10)}${first}`,
          ...rest.map((line) => ' '.repeat(12) + line),
        ];
      });
      const nothing = name === SPECIFICATION ? ['  Nothing is declared. This is the default.'] : [];
      const left =
        notOffered.length > 0
          ? wrap(
              `${notOffered.length} statements of the specification are not offered: tokens, their expiry, health checks.`,
              WIDTH - 2,
            ).map((line) => `  ${line}`)
          : [];
      return [...wrap(`${name}: ${title}`, WIDTH), ...nothing, ...lines, ...left].join('\n');
    }),
  );
  return entries.join('\n\n');
}

export const TYPES_OPTIONS = {
  profile: { ...PROFILE_OPTION, default: SPECIFICATION },
  output: { flag: '--output <file>', help: 'file to write', defaultText: 'standard output' },
} as const satisfies OptionTable;

export function typesCommand(): Command {
  const command = new Command('types')
    .description(
      'Prints the TypeScript types of the contract, with everything that a profile declares. ' +
        'Requires openapi-typescript, installed next to this package.',
    )
    .allowExcessArguments(false);
  return addOptions(command, TYPES_OPTIONS).action(
    async ({ profile, output }: OptionValues<typeof TYPES_OPTIONS>) => {
      const text = await typesOf(profile);
      if (output === undefined) process.stdout.write(text);
      else writeOrExplain(output, text);
    },
  );
}

/** Throws MockError for an invalid profile, and UsageError if openapi-typescript is missing. */
export async function typesOf(nameOrFile: string): Promise<string> {
  const { name, document } = await loadProfile(nameOrFile);
  const { default: openapiTs, astToString } = await loadGenerator();
  const nodes = await openapiTs(structuredClone(document) as unknown as OpenAPI3, { silent: true });
  return `// The contract under the profile ${name}. Made by mrs types; do not edit it.\n\n${astToString(nodes)}`;
}

async function loadGenerator() {
  try {
    return await import('openapi-typescript');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'openapi-typescript is not installed. Run npm install --save-dev openapi-typescript typescript, and try again.',
    );
  }
}

function writeOrExplain(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--output is "${file}", which cannot be written (${code}). Name another file.`);
  }
}
