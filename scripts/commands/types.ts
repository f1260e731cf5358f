/** `mrs types`: the contract under a profile as TypeScript, for clients of that deployment. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { OpenAPI3 } from 'openapi-typescript';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { PROFILE_OPTION } from './deployment-options.ts';
import { addOptions, type OptionTable, type OptionValues } from './options.ts';

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
