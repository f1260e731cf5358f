/** Checks openapi.yaml, the ledger and the types against each other, and the ledger against the specification. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { loadProfile, profileNames } from '../../mocks/contract/profile.ts';
import { contractFaults } from './contract-check.ts';
import { ledgerFaults, notShownFaults } from './ledger-check.ts';
import { lintFaults } from './lint-check.ts';
import { typesFaults } from './types-check.ts';

const fileOf = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve('mrs-contract/package.json')));
const textOf = (path: string): string => readFileSync(fileOf(path), 'utf8');

/** The specification is no part of this repository: a checkout may have it beside itself, or not. */
const SPECIFICATION = '../shared/spec/interface-specification.md';

const CONTROL = 'mocks/control.openapi.yaml';

const faults: string[] = [];

/** Its value, or nothing and a fault. */
function read(path: string): unknown {
  try {
    return parse(textOf(path));
  } catch (error) {
    faults.push(
      `${path}: it cannot be read: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '.')} Correct it.`,
    );
    return undefined;
  }
}

/** Of each profile, merged into the contract. */
async function profileFaults(): Promise<string[]> {
  const found: string[] = [];
  for (const name of profileNames().filter((one) => one !== 'specification')) {
    const merged = stringify((await loadProfile(name)).document, { aliasDuplicateObjects: false });
    found.push(...(await lintFaults(merged, fileOf('redocly.yaml'), `the profile ${name}`)));
  }
  return found;
}

const document = read('openapi.yaml');
const ledger = read('tests/requirements.yaml');
const hasSpecification = existsSync(fileOf(SPECIFICATION));

if (faults.length === 0) {
  const source = textOf('openapi.yaml');
  faults.push(
    ...(await lintFaults(source, fileOf('redocly.yaml'))),
    ...(await lintFaults(textOf(CONTROL), fileOf('redocly.yaml'), CONTROL)),
    ...(await profileFaults()),
    ...contractFaults(document, ledger),
    ...(await typesFaults(source, textOf('openapi.d.ts'))),
  );
  if (hasSpecification && Array.isArray(ledger) && ledgerFaults(ledger).length === 0)
    faults.push(...notShownFaults(textOf(SPECIFICATION), ledger));
}

if (faults.length > 0) {
  for (const fault of faults) console.error(fault);
  process.exitCode = 1;
} else {
  const marks = 'the marks "not shown" of the specification';
  console.log(
    'The contract holds: Redocly, schemas, examples, paths, references, ledger, types, profiles' +
      (hasSpecification ? `, ${marks}.` : `. Left out: ${marks}, which is not at ${SPECIFICATION}.`),
  );
}
