import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadProfile, profileNames } from '../../mocks/contract/profile.ts';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { scenarios } from '../../mocks/state/scenarios.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const program = new URL('../../dist/scripts/mrs.js', import.meta.url).pathname;

/** What `mrs` prints, as in a shell without any of the suite's variables. */
async function mrs(...args: string[]): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MRS_')));
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    env: { ...env, MRS_REPORT_DIR: test.info().outputPath('reports') },
  });
  return (await run).stdout;
}

test('the output in README is what the first command prints', async () => {
  const shown = readme.split('\n').filter((line) => /^[✓✗?–] MRS-/.test(line));
  const outcome = /`(outcome: .*)`/.exec(readme)?.[1] ?? 'no outcome in README';
  const printed = (await mrs('verify')).split('\n');

  expect(shown.length).toBeGreaterThan(0);
  expect(printed).toEqual(expect.arrayContaining([...shown, outcome]));
});

for (const command of ['verify', 'mock', 'certify'])
  test(`README names every option of mrs ${command}`, async () => {
    const help = await mrs(command, '--help');
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);

    expect(options).toContain('--help');
    for (const option of options) expect(readme).toContain(String(option));
  });

test('every npm script that README runs is there', () => {
  const named = [...readme.matchAll(/npm (?:run )?(\w+)(?= |`|$)/gm)].map(([, name]) => String(name));
  const scripts = named.filter((name) => !['ci', 'pack', 'run'].includes(name));

  expect(scripts.length).toBeGreaterThan(0);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
});

test('README names every profile, and the one that it shows can be used', async () => {
  for (const name of profileNames()) expect(readme).toContain(`| \`${name}\` |`);
  const [, shown = ''] = /```yaml\n(overlay: .*?)```/s.exec(readme) ?? [];
  const file = test.info().outputPath('mine.overlay.yaml');
  mkdirSync(test.info().outputPath(), { recursive: true });
  writeFileSync(file, shown);
  const { document } = await loadProfile(file);
  expect(JSON.stringify(document)).toContain(
    'An expired token is answered with a JSON object that has error.',
  );
});

test('README names how many deployments the suite is proved on', () => {
  expect(readme).toContain(
    `${defects.length}/${defects.length} defects caught for the stated reason, ${variants.length}/${variants.length} variants accepted`,
  );
});

test('README shows the clients to copy as they are', () => {
  for (const name of ['reactive', 'proactive']) {
    const source = readFileSync(new URL(`../../tests/client/corpus/${name}.ts`, import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
  }
});

test('README names how many clients the examination is proved on', () => {
  const [wrong, permitted] = [wrongClients.length, permittedClients.length];
  expect(readme).toContain(
    `clients: ${wrong}/${wrong} wrong clients caught for the stated reason, ${permitted}/${permitted} permitted clients certified`,
  );
});

test('README names every scenario, in the words of the list that the mock prints', async () => {
  const list = await mrs('mock', '--list-scenarios');
  for (const { name, summary } of scenarios) {
    expect(readme.split('\n')).toContain(`| \`demo-${name}\` | ${summary} |`);
    expect(list).toContain(`demo-${name}\n    ${summary.slice(0, 40)}`);
  }
});
