/** A report as SARIF 2.1.0, which code hosts and editors show next to the file. */
import type { Location, Log, ReportingDescriptor, Result } from 'sarif';
import { exitCodes } from '../support/verdict.ts';
import { version } from '../support/version.ts';
import { type Finding, type Item, plain, type Report, shownOutcome } from './report.ts';
import { inOneLine } from './text.ts';

/** One result for each finding of a failed or warned item. */
export function renderSarif(report: Report): string {
  const { judge, properties, problems, items } = report;
  const outcome = shownOutcome(report);
  const broken = items.filter(({ findings }) => findings.length > 0);
  const rules = [...new Map(broken.map((item) => [item.id, item])).values()];
  const unjudged = items.flatMap(({ verdict, reason }) =>
    verdict === 'could-not-run' ? (reason ?? []) : [],
  );
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: `mrs ${judge}`, version, rules: rules.map(describe) } },
        invocations: [
          {
            executionSuccessful: outcome !== 'incomplete' && outcome !== 'error',
            exitCode: exitCodes[outcome],
            toolExecutionNotifications: [...problems, ...unjudged].map((sentence) => ({
              level: 'error',
              message: { text: sentence },
            })),
          },
        ],
        results: broken.flatMap((item) =>
          item.findings.map(
            (finding): Result => ({
              ruleId: item.id,
              ruleIndex: rules.findIndex(({ id }) => id === item.id),
              level: levelOf(finding),
              message: {
                text: finding.seen + (finding.proof === undefined ? '' : ` (${plain(finding.proof)})`),
              },
              locations: [locationOf(finding)],
            }),
          ),
        ),
        properties: { ...properties, outcome },
      },
    ],
  };
  return JSON.stringify(log, (_, value) => (typeof value === 'string' ? inOneLine(value) : value), 2);
}

const levelOf = ({ verdict }: { verdict: Item['verdict'] }) => (verdict === 'failed' ? 'error' : 'warning');

function describe(item: Item): ReportingDescriptor {
  const { id, statement, rationale, advice, source } = item;
  return {
    id,
    shortDescription: { text: statement },
    ...(rationale !== undefined && { fullDescription: { text: `${statement} ${rationale}` } }),
    ...(advice !== undefined && { help: { text: advice } }),
    ...(source !== undefined && { helpUri: source }),
    defaultConfiguration: { level: levelOf(item) },
  };
}

/** A place in a file where there is one; only its name where there is none. */
function locationOf({ where, location }: Finding): Location {
  if (!location) return { logicalLocations: [{ fullyQualifiedName: plain(where) }] };
  const { uri, pointer, line } = location;
  return {
    physicalLocation: {
      artifactLocation: { uri },
      ...(line !== undefined && { region: { startLine: line } }),
    },
    logicalLocations: [{ fullyQualifiedName: pointer, kind: pointer === '' ? 'object' : 'member' }],
  };
}
