import { readdirSync, readFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { RULES } from '../../tests/feed/findings.ts';
import { certifyCommand } from '../commands/certify.ts';
import { feedCommand } from '../commands/feed.ts';
import { fleetCommand } from '../commands/fleet.ts';
import { judgeCommand } from '../commands/judge.ts';
import { mockCommand } from '../commands/mock.ts';
import { proxyCommand } from '../commands/proxy.ts';
import { observeCommand, verifyCommand } from '../commands/verify.ts';

/** Words that readers have to read twice; most are in the list of CONTRIBUTING.md. */
const AVOIDED =
  /\b(tells?|told|owed|beside|stands|lies|so many|nobody|somebody|that cannot be|mends?|mended|comes? again|otherwise than|other ones|alone|says that|(?<!there )(?:is|are) no (?!longer|more)\w+)\b/gi;

/** How often they may occur. */
const IN_A_THOUSAND = 1;

const root = new URL('../../', import.meta.url);
/** The table of CONTRIBUTING.md that lists the words. */
const withoutList = (text: string) => text.replace(/^\| not \| but \|\n(\|.*\n)+/m, '');

const folders = ['mocks', 'scripts', 'tests'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
    (file) => `${folder}/${file}`,
  ),
);
const documents = [...readdirSync(root), ...folders]
  .filter((file) => file.endsWith('.md'))
  .map((file): [string, string] => [file, withoutList(readFileSync(new URL(file, root), 'utf8'))]);
const commands = [
  mockCommand(),
  verifyCommand(),
  certifyCommand(),
  feedCommand(),
  judgeCommand(),
  proxyCommand(),
  ...fleetCommand().commands,
  observeCommand(),
];

for (const [name, text] of [
  ...documents,
  ['tests/requirements.yaml', readFileSync(new URL('tests/requirements.yaml', root), 'utf8')],
  ['--help', commands.map((command) => command.helpInformation()).join('\n')],
  ['tests/client-rules.yaml', readFileSync(new URL('tests/client-rules.yaml', root), 'utf8')],
  ['texts of rules for feeds', RULES.map((rule) => Object.values(rule).join('\n')).join('\n')],
] as const)
  test(`the words of ${name} are the usual ones`, () => {
    const most = (text.split(/\s+/).length * IN_A_THOUSAND) / 1000;
    const found = [...text.matchAll(AVOIDED)].map(({ index }) =>
      text.slice(Math.max(0, index - 40), index + 40),
    );
    expect(found.length > most ? found : []).toEqual([]);
  });
