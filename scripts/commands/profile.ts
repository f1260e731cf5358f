/** `mrs profile` shows what deployments declare about the open points. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { entry, indented } from '../../tests/report/terminal.ts';
import { declaredRequirements, profileIn } from '../../tests/server/profile.ts';

export function profileCommand(): Command {
  const profile = new Command('profile').description(
    'A profile is an OpenAPI Overlay of openapi.yaml that declares how one deployment behaves where the ' +
      'specification is open. The commands mock, verify, certify and feed accept its name or file as --profile.',
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

async function listOfProfiles(): Promise<string> {
  const entries = profileNames().map(async (name) => {
    const { title, document, notOffered } = await loadProfile(name);
    const declared = profileIn(document as Record<string, unknown>);
    const left = `${notOffered.length} statements of the specification are not offered: tokens, their expiry, health checks.`;
    return [
      ...indented(`${name}: ${title}`, 0),
      ...(name === SPECIFICATION ? ['  Nothing is declared. This is the default.'] : []),
      ...(declared ? declaredRequirements(declared) : []).flatMap(({ id, statement }) =>
        entry(' ', id.split('@')[0] ?? '', statement),
      ),
      ...(notOffered.length > 0 ? indented(left, 2) : []),
    ].join('\n');
  });
  return (await Promise.all(entries)).join('\n\n');
}
