/** A report on a feed as the shared renderers see it. */
import { markup } from '../../report/markup.ts';
import type { Item, Location, ReportModel } from '../../report/model.ts';
import { suiteProperties } from '../../report/suite-facts.ts';
import { several } from '../../report/text.ts';
import { isFailure, type Location as Place } from '../findings.ts';
import { ruleOf } from '../rules.ts';
import { type FeedReport, factsOf, headlineOf, nextOf, type ReportedFinding, tallyOf } from './report.ts';

/** The model of `report`; a plain value. */
export function modelOf(report: FeedReport): ReportModel {
  const { outcome, source, findings, counts, records, remarks, profile, digest, setDigest } = report;
  const items = findings.map((finding) => itemOf(finding, uriOf(source)));
  return {
    kind: 'Feed report',
    topic: 'Mitigation request records',
    command: 'mrs feed',
    subject: { name: 'Feed', text: source.name, isCode: true },
    outcome,
    headline: headlineOf(report),
    next: nextOf(report),
    remarks,
    counts: [
      { value: records, word: records === 1 ? 'record' : 'records' },
      { value: counts.findings, word: counts.findings === 1 ? 'finding' : 'findings', verdict: 'failed' },
      { value: counts.warnings, word: counts.warnings === 1 ? 'warning' : 'warnings', verdict: 'warned' },
    ],
    tally: tallyOf(report),
    facts: factsOf(report),
    properties: { profile: profile.name, records: String(records), ...suiteProperties(report) },
    items: {
      title: 'Rules',
      about: 'The rules that the feed violates, failures first, each with the first places.',
      noun: 'rule',
      list: [
        ...items.filter(({ verdict }) => verdict === 'failed'),
        ...items.filter(({ verdict }) => verdict === 'warned'),
        completeness(report),
      ],
    },
    problems: [],
    own: {
      sections: [],
      footer: markup`Quoted text comes from the feed. Digest of the records in their order: <code>${digest}</code>; in any order: <code>${setDigest}</code>.`,
      markdown: { last: [] },
    },
  };
}

/** Whether all of the feed was judged: without it, a report without findings would not show that anything was. */
function completeness({ unjudged, records }: FeedReport): Item {
  const isComplete = unjudged.length === 0;
  return {
    id: 'feed-complete',
    anchor: 'feed-complete',
    className: 'feed',
    statement: 'Every record is read, and every rule is applied.',
    verdict: isComplete ? 'passed' : 'could-not-run',
    reason: isComplete ? undefined : unjudged.join(' '),
    facts: isComplete ? [['Seen', several(records, 'record')]] : [],
    findings: [],
  };
}

function itemOf(finding: ReportedFinding, uri: string): Item {
  const { rule, count, places, severity } = finding;
  const { statement, why, remedy, source } = ruleOf(rule);
  const verdict = isFailure(finding) ? 'failed' : 'warned';
  return {
    id: rule,
    anchor: `${rule}-${finding.class}`,
    className: 'feed',
    statement,
    verdict,
    severity,
    trouble:
      places[0] &&
      `${statement} Seen: ${asSentence(`${places[0].seen}${count > 1 ? `, ${count} times` : ''}`)}`,
    summary: places.map((place) => `${placeOf(place)}: ${place.seen}`).join(' '),
    facts: [['Seen', several(count, 'time')]],
    findings: places.map((place, at) => ({
      verdict,
      where: placeOf(place),
      seen: place.seen,
      ...(count > 1 && { proof: `${at + 1} of ${count}` }),
      location: locationOf(place, uri),
    })),
    advice: remedy,
    rationale: why,
    source,
  };
}

/** A question ends with its own mark. */
const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`);

/** `/ods_data/3/site_lat_deg, line 12`. */
const placeOf = ({ pointer, line }: Place): string =>
  `${pointer || 'the body'}${line === undefined ? '' : `, line ${line}`}`;

const locationOf = ({ pointer, line, byte }: Place, uri: string): Location => ({ uri, pointer, line, byte });

/** A file by its path, relative if it was given so. */
function uriOf({ kind, name }: FeedReport['source']): string {
  if (kind === 'url') return name.replace(/\?…$/, '');
  if (kind === 'stdin') return 'stdin';
  // A colon in the first part would make it a scheme.
  return name.toWellFormed().split(/[\\/]/).map(encodeURIComponent).join('/');
}
