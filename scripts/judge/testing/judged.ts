/** Judges made-up traffic in process, as `mrs judge` does. */
import { rules } from '../../../tests/client/judge.ts';
import type { Report } from '../../../tests/report/report.ts';
import { bytesOf, harOfCalls, type MadeCall } from '../../../tests/traffic/testing/har.ts';
import { verdictsOf } from '../../prove/judged.ts';
import { judgeRecording } from '../judge-recording.ts';
import { readRecording } from '../read-recording.ts';
import { reportOf } from '../report.ts';

export interface Given {
  baseUrl?: string;
  lifetimeSeconds?: number;
  processes?: number;
}

/** A report, with the results for the service and for its clients. */
export interface Judged extends Report {
  server: ReturnType<typeof partOf>;
  client: ReturnType<typeof partOf>;
}

const partOf = ({ properties, items }: Report, part: 'server' | 'client') => ({
  outcome: properties[part],
  items: items.filter(({ group }) => group.startsWith(`${part}.`)),
});

/** What `mrs judge` reports on a HAR file of this text. */
export async function judge(har: string, given: Given = {}): Promise<Report> {
  const { baseUrl, lifetimeSeconds, processes = 1 } = given;
  const recording = readRecording(bytesOf(har), 'traffic.har', baseUrl);
  const judged = judgeRecording(recording, { lifetimeSeconds, processes });
  return reportOf(recording, judged, { startedAt: '2030-02-01T00:00:00.000Z', durationMs: 1 });
}

export async function reportOn(har: string, given?: Given): Promise<Judged> {
  const report = await judge(har, given);
  return { ...report, server: partOf(report, 'server'), client: partOf(report, 'client') };
}

export const reportOnCalls = (calls: readonly MadeCall[], given?: Given): Promise<Judged> =>
  reportOn(harOfCalls(...calls), given);

/** Requirements, and rules in the order in which they are stated. */
const itemsOf = ({ server, client }: Judged) => [
  ...server.items,
  ...rules.flatMap(({ id }) => client.items.filter((item) => item.id === id)),
];

/** A line with the outcomes and all verdicts. */
export const verdictsIn = (what: string, report: Judged): string =>
  `${what}: service ${report.server.outcome}, clients ${report.client.outcome}, ${verdictsOf(report.outcome, itemsOf(report))}`;

/** Requirements and rules with one of these verdicts. */
export const withVerdict = (report: Judged, ...verdicts: string[]): string[] =>
  itemsOf(report).flatMap(({ id, verdict }) => (verdicts.includes(verdict) ? id : []));

/** What the report says under this name. */
export const factOf = ({ facts }: Judged, named: string): string | undefined =>
  facts.find(({ name }) => name === named)?.text;

/** Each client with its outcome. */
export const clientsIn = ({ sections }: Judged): (string | undefined)[][] =>
  sections.flatMap(({ blocks }) =>
    blocks.map(({ fold, text }) => [fold?.slice(2), text?.toString().split(';')[0]]),
  );

/** As a browser exports them without sensitive data. */
export const withoutAuthorization = (calls: readonly MadeCall[]): MadeCall[] =>
  calls.map(({ headers: { authorization: _, ...headers } = {}, ...call }) => ({ ...call, headers }));
