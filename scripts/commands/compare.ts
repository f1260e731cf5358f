/** `mrs compare`: what changed from one report to another. */
import { Command } from 'commander';
import { compareReports, renderComparison } from '../../tests/server/report/comparison.ts';
import { readReport } from '../../tests/server/report/read-report.ts';

export function compareCommand(): Command {
  return new Command('compare')
    .summary('show what changed between two reports')
    .description(
      'Shows what changed from one report.json to another: verdicts, removed requirements and observations.',
    )
    .argument('<before>', 'report.json of the earlier run')
    .argument('<after>', 'report.json of the later run')

    .addHelpText('after', '\nExit codes: 0 no regression, 1 a regression, 2 error.')
    .action((before: string, after: string) => {
      const comparison = compareReports(readReport(before), readReport(after));
      console.log(renderComparison(comparison));
      process.exitCode = comparison.changes.some(({ isRegression }) => isRegression) ? 1 : 0;
    });
}
