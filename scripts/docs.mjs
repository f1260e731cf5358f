/**
 * Writes the tables of options into the documents, between their marks: `npm run docs`. With --check it writes nothing, and
 * exits with 1 if a table is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CERTIFY_OPTIONS } from '../dist/scripts/commands/certify.js';
import { FEED_OPTIONS } from '../dist/scripts/commands/feed.js';
import { FLEET_REPORT_OPTIONS, FLEET_RUN_OPTIONS } from '../dist/scripts/commands/fleet.js';
import { JUDGE_OPTIONS } from '../dist/scripts/commands/judge.js';
import { MOCK_OPTIONS } from '../dist/scripts/commands/mock.js';
import { PROVE_OPTIONS } from '../dist/scripts/commands/prove.js';
import { PROXY_OPTIONS } from '../dist/scripts/commands/proxy.js';
import { OBSERVE_OPTIONS, VERIFY_OPTIONS } from '../dist/scripts/commands/verify.js';
import { WATCH_OPTIONS } from '../dist/scripts/commands/watch.js';

const TABLES = {
  certify: CERTIFY_OPTIONS,
  feed: FEED_OPTIONS,
  judge: JUDGE_OPTIONS,
  fleet_run: FLEET_RUN_OPTIONS,
  fleet_report: FLEET_REPORT_OPTIONS,
  mock: MOCK_OPTIONS,
  observe: OBSERVE_OPTIONS,
  prove: PROVE_OPTIONS,
  proxy: PROXY_OPTIONS,
  verify: VERIFY_OPTIONS,
  watch: WATCH_OPTIONS,
};
const MARKED = /<!-- options: (\w+) -->\n.*?<!-- end of options -->/gs;

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');
const documents = ['mocks', 'tests', 'scripts'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);

for (const name of documents) {
  const file = new URL(name, root);
  const text = readFileSync(file, 'utf8');
  const updated = text.replace(MARKED, (_, command) => {
    if (!Object.hasOwn(TABLES, command))
      throw new Error(`${name} has a table of options for "${command}", which is not a command.`);
    return `<!-- options: ${command} -->\n\n${table(TABLES[command])}\n\n<!-- end of options -->`;
  });
  if (updated === text) continue;
  if (isCheck) {
    console.error(`${name}: a table of options is out of date. Run npm run docs.`);
    process.exitCode = 1;
  } else writeFileSync(file, updated);
}

function table(options) {
  const rows = Object.values(options).map(({ flag, variable, help, default: value, defaultText = value }) => [
    flag && `\`${flag}\``,
    variable && `\`${variable}\``,
    help,
    defaultText,
  ]);
  return [['option', 'variable', 'meaning', 'default'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((cell = '') => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .map((row) => row.replaceAll(/ {2,}/g, ' '))
    .join('\n');
}
