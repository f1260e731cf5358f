/** `mrs certify`: examines a client against the mock, clause by clause. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { certificateOf } from '../mocks/certificate/judge.ts';
import { type Scenario, scenarios } from '../mocks/certificate/scenarios.ts';
import { parseDuration } from '../tests/support/duration.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { type Aliases, checkPlaceholders, readAlias } from './certificate/client-variables.ts';
import { examine } from './certificate/examine.ts';
import { startGuardian } from './certificate/guardian.ts';
import { programClient } from './certificate/program.ts';

interface CertifyOptions {
  env: Aliases;
  scenario: string[];
  processes: string;
  deadline: string;
  atOnce?: string;
  profile?: string;
  reportDir?: string;
  strict?: true;
  list?: true;
}

export function certifyCommand(): Command {
  return new Command('certify')
    .argument('[command...]')
    .option('--env <alias>', '', readAlias, {})
    .option('--scenario <name>', '', (name: string, before: string[]) => [...before, name], [] as string[])
    .option('--processes <number>', '', '1')
    .option('--deadline <duration>', '', '30')
    .option('--at-once <number>', '')
    .option('--profile <name|file>', '')
    .option('--report-dir <directory>', '')
    .option('--strict', '')
    .option('--list', '')
    .action(certify);
}

async function certify(command: string[], options: CertifyOptions): Promise<void> {
  checkPlaceholders(command);
  const scratch = mkdtempSync(join(tmpdir(), 'mrs-certify-'));
  const guardian = startGuardian();
  try {
    const t = performance.now();
    const played = await examine({
      start: programClient(command, options.env, guardian),
      scenarios: chosen(options.scenario),
      scratch,
      processes: Number(options.processes),
      deadlineSeconds: parseDuration(options.deadline),
      tell: (p) =>
        console.log(
          p.scene.name,
          p.state,
          Math.round(p.scene.durationMs),
          p.scene.calls.length,
          p.output.slice(0, 100),
        ),
    });
    const c = certificateOf(played);
    for (const r of c.rules)
      console.log(
        r.verdict.padEnd(15),
        r.id,
        r.clause ?? '',
        r.findings.map((f) => `\n    ${f.severity} [${f.scenario}] ${f.seen} ${f.calls}`).join(''),
      );
    for (const s of c.scenarios) console.log(s.name, s.state, s.ended ?? '', s.callCount, s.tokens);
    console.log(c.outcome, c.strategy, c.marginSeconds, c.tokens, Math.round(performance.now() - t));
  } finally {
    guardian.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function chosen(names: readonly string[]): readonly Scenario[] {
  for (const name of names)
    if (!scenarios.some((one) => one.name === name))
      throw new UsageError(
        `There is no scenario "${name}". The nearest is "${closest(
          name,
          scenarios.map((one) => one.name),
        )}"; mrs certify --list shows all.`,
      );
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}
