/** Judges made-up traffic in process, as `mrs judge` does. */
import { bytesOf, harOfCalls, type MadeCall } from '../../../tests/traffic/testing/har.ts';
import { verdictsOf } from '../../prove/verdicts.ts';
import { judgeRecording } from '../judge-recording.ts';
import { readRecording } from '../read-recording.ts';
import { buildReport, type TrafficReport } from '../report/report.ts';

export interface Given {
  baseUrl?: string;
  /** Of all clients, and of single ones by their ids. */
  lifetimeSeconds?: number;
  lifetimes?: Record<string, number>;
  processes?: number;
  healthPaths?: readonly string[];
}

/** The report on a HAR file of this text. */
export async function reportOn(har: string, given: Given = {}): Promise<TrafficReport> {
  const { baseUrl, lifetimeSeconds, lifetimes: byClient = {}, processes = 1, healthPaths } = given;
  const lifetimes = {
    ...(lifetimeSeconds !== undefined && { others: lifetimeSeconds }),
    byClient: new Map(Object.entries(byClient)),
  };
  const recording = await readRecording(bytesOf(har), 'traffic.har', baseUrl, healthPaths);
  const judged = judgeRecording(recording, { lifetimes, processes });
  const run = { lifetimes, startedAt: '2030-02-01T00:00:00.000Z', durationMs: 1 };
  return buildReport(recording, judged, run).report;
}

export const reportOnCalls = (calls: readonly MadeCall[], given: Given = {}): Promise<TrafficReport> =>
  reportOn(harOfCalls(...calls), given);

/** A line with the outcomes and all verdicts. */
export const verdictsIn = (what: string, { outcome, server, client }: TrafficReport): string => {
  const judged = [...server.requirements, ...client.rules];
  return `${what}: service ${server.outcome}, clients ${client.outcome}, ${verdictsOf(outcome, judged)}`;
};

/** Requirements and rules with this verdict, in the order of the report. */
export const withVerdict = ({ server, client }: TrafficReport, ...verdicts: string[]): string[] =>
  [...server.requirements, ...client.rules]
    .filter(({ verdict }) => verdicts.includes(verdict))
    .map(({ id }) => id);
