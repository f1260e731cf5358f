/** What `mrs watch` says: a line for each event, and a report at the end. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  type Column,
  factsIn,
  type Item,
  itemWith,
  type Report,
  reportWith,
  tableOf,
} from '../report/report.ts';
import { inLog, inOneLine, several, VERDICTS } from '../report/text.ts';
import { formatDuration } from '../support/options.ts';
import { outcomeOf, type Severity } from '../support/verdict.ts';
import { formatUtc } from './time.ts';
import type { Agreed, EventName, FeedState, WatchEvent } from './watch.ts';

/** tests/watch-rules.yaml, in the order of reports. */
export const WATCH_RULES: readonly {
  id: EventName;
  severity?: Severity;
  statement: string;
  remedy: string;
  /** By the phase of an outage. */
  seen: string | Record<string, string>;
}[] = createRequire(import.meta.url)('mrs-contract/watch-rules.json');

const inTime = (seconds: number): string =>
  Math.abs(seconds) < 120 ? several(seconds, 'second') : several(Math.round(seconds / 60), 'minute');

/** The words for an event, as a sentence without its full stop. */
function sentenceOf(event: WatchEvent): string {
  const { seen = '' } = WATCH_RULES.find(({ id }) => id === event.event) ?? {};
  const members = new Map<string, unknown>(Object.entries(event));
  const words = (typeof seen === 'string' ? seen : (seen[event.phase ?? ''] ?? '')).replace(
    /\{(\w+)\}/g,
    (_, name) => (name.endsWith('_s') ? inTime(Number(members.get(name))) : `${members.get(name)}`),
  );
  return `${event.record ? `${event.record.join(' ')}: ` : ''}${words}${event.more ? `, and ${event.more} more` : ''}`;
}

const verdictOf = ({ finding }: WatchEvent): 'failed' | 'warned' => (finding ? 'failed' : 'warned');

/** An event in one line, in which nothing comes alive that the feed sent. */
export function lineOf(event: WatchEvent): string {
  const { at, feed, event: name, read } = event;
  const { mark } = VERDICTS[verdictOf(event)];
  return inLog(inOneLine(`${at} ${mark} ${feed} ${name}: ${sentenceOf(event)} (read ${read})`));
}

/** `feeds`: what is known of each feed, by its name. */
export function watchReport(
  feeds: ReadonlyMap<string, FeedState>,
  { lateMs, outageMs, everyMs }: Agreed & { everyMs: number },
): Report {
  const states = [...feeds.values()];
  const items = [...WATCH_RULES.flatMap((rule) => itemOf(rule, states)), ...[...feeds].map(itemOfFeed)];
  const sinceMs = Math.min(...states.map((one) => one.sinceMs ?? Number.POSITIVE_INFINITY));
  const untilMs = Math.max(...states.map((one) => one.untilMs ?? 0));
  const outcome = outcomeOf(items);
  const count = (value: number, noun: string) => ({ value, word: value === 1 ? noun : `${noun}s` });
  const reads = sum(states.map((one) => one.reads));
  return reportWith({
    ...{ judge: 'feed', runId: randomUUID(), outcome, items },
    subject: { name: 'Watched', text: [...feeds.keys()].slice(0, 5).join(', '), isCode: true },
    ...(outcome === 'incomplete' && { headline: 'A feed was never read' }),
    ...(untilMs > 0 && { startedAt: new Date(sinceMs).toISOString(), durationMs: untilMs - sinceMs }),
    counts: [
      ...[count(feeds.size, 'feed'), count(reads, 'read')],
      { ...count(sum(states.map(findingsOf)), 'finding'), verdict: 'failed' },
      { ...count(sum(states.map(warningsOf)), 'warning'), verdict: 'warned' },
    ],
    facts: factsIn([
      ['Watched', untilMs > 0 && `from ${formatUtc(sinceMs)} to ${formatUtc(untilMs)} UTC`],
      ['Read every', formatDuration(everyMs / 1000)],
      ['Late', `less than ${formatDuration(lateMs / 1000)} before the start`],
      ['Outage agreed', formatDuration(outageMs / 1000)],
    ]),
    sections: [
      {
        ...{ id: 'feeds', title: 'Feeds' },
        about: 'Lead time: from the first sight of a record to its start, of the last 1,000 new records.',
        blocks: [
          { table: { ...tableOf('feeds', 'Feeds', COLUMNS, [...feeds]), inTerminal: [0, 1, 4, 5, 6, 7] } },
        ],
      },
    ],
  });
}

const COLUMNS: readonly Column<[string, FeedState]>[] = [
  ['Feed', ([name]) => name],
  ['Reads', ([, { reads }]) => `${reads}`],
  ['Without a list', ([, { reads, lists }]) => `${reads - lists}`],
  ['New records', ([, { leads }]) => `${leads.length}`],
  ['Least lead', ([, { leads }]) => leadAt(leads, 0)],
  ['Median lead', ([, { leads }]) => leadAt(leads, 0.5)],
  ['Findings', ([, state]) => `${findingsOf(state)}`],
  ['Warnings', ([, state]) => `${warningsOf(state)}`],
];

function leadAt(leads: readonly number[], share: number): string {
  const lead = leads.toSorted((a, b) => a - b)[Math.floor(leads.length * share)];
  return lead === undefined ? '–' : inTime(lead);
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
const findingsOf = ({ events }: FeedState) => sum(Object.values(events).map(({ findings }) => findings));
const warningsOf = (state: FeedState) =>
  sum(Object.values(state.events).map(({ count }) => count)) - findingsOf(state);

/** None where no feed raised the event. */
function itemOf(rule: (typeof WATCH_RULES)[number], feeds: readonly FeedState[]): Item[] {
  const { id, statement, remedy: advice, severity } = rule;
  const raised = feeds.flatMap(({ events }) => events[id] ?? []);
  const verdict = raised.some(({ findings }) => findings > 0) ? 'failed' : 'warned';
  const seen = several(sum(raised.map(({ count }) => count)), 'time');
  const places = raised.flatMap(({ first }) => first);
  const findings = places.map((event) => ({
    ...{ verdict: verdictOf(event), where: `${event.feed}, ${event.at}` },
    ...{ seen: sentenceOf(event), proof: `read ${event.read}` },
  }));
  if (raised.length === 0) return [];
  return [itemWith({ id, group: 'feed', statement, severity, advice, verdict, seen, findings })];
}

/** Whether the feed was read at all. */
function itemOfFeed([name, { reads, lists, listMs, fault, outage }]: [string, FeedState]): Item {
  const reason = `No read of ${name} gave a list. The last one: ${fault ?? outage?.why ?? 'none was made'}.`;
  return itemWith({
    ...{ id: name, group: 'feed', statement: 'The feed can be read.' },
    ...(listMs === undefined
      ? { verdict: 'could-not-run', reason }
      : { verdict: 'passed', seen: `${several(reads, 'read')}, of which ${lists} gave a list` }),
  });
}
