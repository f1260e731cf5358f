/** The report on a fleet in all its forms. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fleetExitCode } from '../../tests/fleet/fleet-outcome.ts';
import { momentOf, withHistory } from '../../tests/fleet/history.ts';
import { type Found, mergeReports } from '../../tests/fleet/merge.ts';
import { badgeOf } from '../../tests/fleet/report/badge.ts';
import { renderFleetPage } from '../../tests/fleet/report/fleet-page.ts';
import { reportOf, verdictsOf } from '../../tests/fleet/report/model.ts';
import { terminalReportOf } from '../../tests/fleet/report/terminal.ts';
import type { Fleet } from '../../tests/fleet/report/wording.ts';
import { renderJunit } from '../../tests/report/junit.ts';
import { renderMarkdown } from '../../tests/report/markdown.ts';
import { outputOf, type Print } from '../../tests/report/output.ts';
import { checkDirectory, createPublisher, type Publisher } from '../../tests/report/publish.ts';
import { usesColor } from '../../tests/report/terminal.ts';
import { several } from '../../tests/report/text.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import type { Collected } from './collect-reports.ts';
import { keepRun, readHistory } from './history-folder.ts';
import { checkNoLink } from './layout.ts';

const BADGES = 'badges';

export interface FleetReportOptions {
  /** Of all its deployments. */
  collected: Collected;
  /** Where the report on the fleet goes. */
  output: string;
  /** The run that is reported on, where it is known. */
  runId: string | undefined;
  history?: string | undefined;
  print: Print;
  secrets: Secrets;
}

const FLEET_SCHEMA = readFileSync(
  fileURLToPath(import.meta.resolve('mrs-contract/fleet.schema.json')),
  'utf8',
);

/** Merges, writes and prints. Returns the exit code. Throws UsageError for a directory that cannot be used. */
export function writeFleet({
  collected,
  output,
  runId,
  history,
  print,
  secrets,
}: FleetReportOptions): number {
  checkDirectory(output);
  checkNoLink(join(output, BADGES));
  const { at: began, remarks, expected } = collected;
  const found = collected.found.map((one) => redacted(one, secrets));
  const merged = mergeReports(found, expected, { at: began, runId, remarks });
  const at = momentOf(merged);
  const earlier = history === undefined ? undefined : readHistory(history, merged, at);
  const fleet = earlier
    ? { ...withHistory(merged, earlier.past, at), remarks: [...merged.remarks, ...earlier.remarks] }
    : merged;

  const publisher = createPublisher(secrets, ordinaryWords(fleet));
  writeFiles(fleet, output, publisher);
  if (history !== undefined) keepRun(history, fleet, publisher, at);
  const page = join(output, 'fleet.html');
  const color = usesColor(process.stdout, process.env);
  publisher.print(
    print === 'json'
      ? JSON.stringify(fleet, null, 2)
      : outputOf(terminalReportOf(fleet), print, { color, page }),
  );
  for (const problem of publisher.problems) console.error(problem);
  if (publisher.problems.length === 0)
    return fleetExitCode(fleet.deployments.map(({ exitCode }) => exitCode));
  // The last line has a stable form, and must not say more than the exit code.
  if (print !== 'json')
    console.log(`outcome: error (${several(publisher.problems.length, 'problem')} with the reports)`);
  return exitCodes.error;
}

/** A deployment may have sent the secret of another. Names are not from a report: a secret may begin like one. */
function redacted({ judged, record, ...rest }: Found, secrets: Secrets): Found {
  const { reason } = record ?? {};
  return {
    ...rest,
    ...(judged !== undefined && { judged: secrets.redact(judged) }),
    ...(record && { record: { ...record, ...(reason !== undefined && { reason: secrets.redact(reason) }) } }),
  };
}

/** What the fleet file says is not secret: a secret that is also a name would hold back every report. */
const ordinaryWords = ({ deployments }: Fleet): string =>
  FLEET_SCHEMA +
  JSON.stringify(
    deployments.map(({ name, address, labels, contact, profile }) => [
      name,
      address,
      labels,
      contact,
      profile,
    ]),
  );

function writeFiles(fleet: Fleet, output: string, publisher: Publisher): void {
  const summary = renderMarkdown(reportOf(fleet));
  const verdicts = verdictsOf(fleet);
  const files: [name: string, text: string][] = [
    ['fleet.schema.json', FLEET_SCHEMA],
    ['fleet.json', `${JSON.stringify(fleet, null, 1)}\n`],
    ['fleet.html', renderFleetPage(fleet)],
    ['summary.md', summary],
    ['junit.xml', renderJunit(verdicts)],
  ];
  for (const one of fleet.deployments) files.push([join(BADGES, `${one.name}.json`), badgeOf(one)]);
  for (const [name, text] of files) publisher.write(join(output, name), text);
  if (process.env.GITHUB_STEP_SUMMARY) publisher.append(process.env.GITHUB_STEP_SUMMARY, summary);
}
