/** `mrs compare`: what changed from one report to another. */
import { Command } from 'commander';
import { compareReports, renderComparison } from '../../tests/server/report/comparison.ts';
import { readReport } from '../../tests/server/report/read-report.ts';

export function compareCommand(): Command {
  return new Command('compare')
    .summary('tell what changed between two reports')
    .description(
      'Tells what changed from one report.json to another: verdicts, requirements that are gone, ' +
        'observations that drifted. Exit code 1 on a regression, 0 otherwise.',
    )
    .argument('<before>', 'report.json of the earlier run')
    .argument('<after>', 'report.json of the later run')
    .action((before: string, after: string) => {
      const comparison = compareReports(readReport(before), readReport(after));
      console.log(renderComparison(comparison));
      process.exitCode = comparison.changes.some(({ isRegression }) => isRegression) ? 1 : 0;
    });
}
