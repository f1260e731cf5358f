/** What `mrs certify` refuses, before a client is started. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowsOf } from '../../tests/client/testing/scenes.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { subjectUnder } from '../certify/scenarios.ts';
import { certifyCommand } from './certify.ts';
import { readCommand } from './options.ts';

/** What is wrong, the arguments, and what is said. */
const wrong = rowsOf(String.raw`
  no program               | | ^Give the program to examine after --
  an unknown scenario      | --scenario steadi | ^There is no scenario "steadi"\. The nearest is "steady"
  no process               | --processes 0 | ^--processes is "0"\. Give a whole number from 1 to 999\.
  part of a process        | --processes 1.5 | ^--processes is "1\.5"
  too many processes       | --processes 1000 | ^--processes is "1000"
  none at once             | --at-once all | ^--at-once is "all"
  a deadline that is not a duration | --deadline soon | --deadline
  an unknown profile       | --profile nrao | nrao
  an unknown scenario of readers | --profile static-feed --scenario expires | ^There is no scenario "expires"\. See mrs certify --list\.
  a token lifetime under a profile without tokens | --profile static-feed --token-lifetime 9s | ^--token-lifetime is for clients with tokens, and the profile static-feed has none
  several processes under a profile without tokens | --profile static-feed --processes 2 | ^--processes is for clients with tokens
  an unknown option        | --strikt | unknown option '--strikt'
  a program that is not installed | --quiet -- nosuchprog | nosuchprog
  reports in a file        | --report-dir /dev/null/reports | ^No report can be written to "/dev/null
  a lifetime of a second   | --token-lifetime 1s | ^--token-lifetime is 1 s\. Give 2s or more\.`);

test('a profile without tokens and without records is refused', async () => {
  const file = outputPath('open.overlay.yaml');
  mkdirSync(outputPath(), { recursive: true });
  const open = { target: "$.paths['/ods_data/'].get", update: { security: [] } };
  const removed = ["$.paths['/token/']", "$.paths['/health/']"].map((target) => ({ target, remove: true }));
  writeFileSync(
    file,
    JSON.stringify({
      overlay: '1.0.0',
      info: { title: 'Open', version: '1.0.0' },
      'x-not-offered': 'tokens',
      actions: [open, ...removed],
    }),
  );
  await expect(subjectUnder(file)).rejects.toThrow('has neither tokens nor records');
});

for (const [what, line = '', message = ''] of wrong)
  test(`${what} is refused before a client is started, and leaves no report of an earlier run`, async () => {
    const args = line.split(' ').filter(Boolean);
    const [reports, started] = [outputPath('reports'), outputPath('started')];
    mkdirSync(reports);
    writeFileSync(join(reports, 'report.json'), 'of the last run');
    let hasBegun = false;
    const command = certifyCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .hook('preAction', (_, begun) => {
        readCommand(begun, {});
        hasBegun = true;
      });
    const hasProgram = args.includes('--') || what === 'no program';
    const program = hasProgram ? [] : ['--', 'touch', started];
    const run = command.parseAsync(['--report-dir', reports, ...args, ...program], { from: 'user' });
    await expect(run).rejects.toThrow(new RegExp(message));
    expect(existsSync(started)).toBe(false);
    // A command line that cannot be read is not a run, and need not name this directory.
    const isRun = hasBegun && !args.includes('--report-dir');
    expect(existsSync(join(reports, 'report.json'))).toBe(!isRun);
  });
