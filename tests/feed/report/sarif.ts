/** A report on a feed as SARIF 2.1.0, which code hosts and editors show beside the file. */

import { inOneLine } from '../../report/text.ts';
import { exitCodes } from '../../support/outcome.ts';
import { type Finding, isFailure, type Location } from '../findings.ts';
import { ruleOf } from '../rules.ts';
import type { FeedReport } from './report.ts';

/** One result for each place that is kept; the count of all stands in its message. */
export function renderSarif(report: FeedReport, version: string): string {
  const told = [...new Set(report.findings.map(({ rule }) => rule))];
  const uri = uriOf(report.source);
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mrs feed', version, rules: told.map(describe) } },
        invocations: [
          {
            executionSuccessful: report.outcome !== 'incomplete',
            exitCode: exitCodes[report.outcome],
            toolExecutionNotifications: report.unjudged.map((sentence) => ({
              level: 'error',
              message: { text: inOneLine(sentence) },
            })),
          },
        ],
        artifacts: [{ location: { uri }, length: report.source.bytes, mimeType: 'application/json' }],
        results: report.findings.flatMap((finding) =>
          finding.places.map((place, at) => ({
            ruleId: finding.rule,
            ruleIndex: told.indexOf(finding.rule),
            level: levelOf(finding),
            message: { text: messageOf(finding, place, at) },
            locations: [locationOf(place, uri)],
          })),
        ),
        properties: { profile: report.profile.name, records: report.records, outcome: report.outcome },
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

const levelOf = (finding: Pick<Finding, 'class'>) => (isFailure(finding) ? 'error' : 'warning');

function describe(id: Finding['rule']) {
  const rule = ruleOf(id);
  return {
    id,
    shortDescription: { text: rule.statement },
    fullDescription: { text: `${rule.statement} ${rule.why}` },
    help: { text: rule.remedy },
    helpUri: rule.source,
    defaultConfiguration: { level: levelOf(rule) },
  };
}

function messageOf({ count }: Finding, { seen }: Location, at: number): string {
  return inOneLine(`${seen}${count > 1 ? ` (${at + 1} of ${count})` : ''}`);
}

function locationOf({ pointer, byte, line }: Location, uri: string) {
  const region = {
    ...(line !== undefined && { startLine: line }),
    ...(byte !== undefined && { byteOffset: byte }),
  };
  const name = inOneLine(pointer);
  return {
    physicalLocation: { artifactLocation: { uri }, ...(line !== undefined && { region }) },
    logicalLocations: [{ fullyQualifiedName: name, kind: name === '' ? 'object' : 'member' }],
  };
}

/** A file by its path, relative where it was named so. */
function uriOf({ kind, name }: FeedReport['source']): string {
  if (kind === 'url') return name.replace(/\?…$/, '');
  if (kind === 'stdin') return 'stdin';
  // A colon in the first part would make it a scheme.
  return name.toWellFormed().split(/[\\/]/).map(encodeURIComponent).join('/');
}
