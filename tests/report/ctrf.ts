/** A report in the Common Test Report Format (ctrf.io), which test dashboards read. */
import { suite } from '../support/version.ts';
import { type Item, itemsOf, type ReportModel } from './model.ts';
import { explain } from './plain.ts';
import { inOneLine } from './text.ts';

/** CTRF has no word for what could not run, or warns: `other`, and a pass with its message. */
const STATUS: Record<Item['verdict'], 'passed' | 'failed' | 'skipped' | 'other'> = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  'could-not-run': 'other',
  'not-applicable': 'skipped',
  'not-seen': 'skipped',
};

/** What a baseline accepts is no failure. */
const statusOf = ({ verdict, accepted }: Item) =>
  verdict === 'failed' && accepted !== undefined ? 'other' : STATUS[verdict];

/** One test for each item. */
export function renderCtrf(model: ReportModel): string {
  const { command, topic, outcome, properties, problems, startedAt = '', durationMs = 0, faults } = model;
  const items = itemsOf(model);
  const count = (status: string) => items.filter((item) => statusOf(item) === status).length;
  const start = Number.isNaN(Date.parse(startedAt)) ? 0 : Date.parse(startedAt);
  const report = {
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    results: {
      tool: { name: command, version: suite.version },
      summary: {
        tests: items.length,
        passed: count('passed'),
        failed: count('failed'),
        pending: 0,
        skipped: count('skipped'),
        other: count('other'),
        start,
        stop: start + Math.round(durationMs),
      },
      tests: items.map((item) => testOf(item, topic)),
      extra: { ...properties, outcome, problems, ...(faults && { faults }) },
    },
  };
  return `${JSON.stringify(report, (_, value) => (typeof value === 'string' ? value.split('\n').map(inOneLine).join('\n') : value), 2)}\n`;
}

function testOf(item: Item, topic: string) {
  const {
    id,
    className,
    statement,
    verdict,
    severity,
    violation,
    summary,
    reason,
    advice,
    accepted,
    durationMs = 0,
  } = item;
  const message = [accepted && `${accepted}.`, violation, summary, reason, advice].filter(Boolean).join(' ');
  const trace = [explain(item), verdict === 'failed' ? item.commands : undefined]
    .filter(Boolean)
    .join('\n\n');
  return {
    name: `${id} ${statement}`,
    status: statusOf(item),
    duration: Math.round(durationMs),
    suite: [topic, className],
    rawStatus: verdict,
    ...(severity && { tags: [severity] }),
    ...(message && verdict !== 'passed' && { message }),
    ...(verdict === 'failed' && { trace }),
  };
}
