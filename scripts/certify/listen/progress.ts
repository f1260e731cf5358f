/** The progress of an examination that waits for its client: in place on a terminal, elsewhere a line per change. */

import type { Call, Traffic } from '../../../mocks/journal/traffic.ts';
import type { Certificate } from '../../../tests/client/certificate.ts';
import type { ScenarioRun } from '../../../tests/client/judge.ts';
import { answerOf, troubleOf } from '../../../tests/client/report/wording.ts';
import { isIssue, isRefused } from '../../../tests/client/scenario-traffic.ts';
import { several, VERDICTS } from '../../../tests/report/text.ts';
import { wrap } from '../../../tests/report/wrap.ts';
import type { ListenStatus } from './listen.ts';

export interface ListenProgress {
  show(status: ListenStatus): void;
  end(run: ScenarioRun, certificate: Certificate): void;
  /** Removes the lines that are shown in place. */
  close(): void;
}

const WIDTH = 80;
const NAME = 21;

interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

export function listenProgress(out: Terminal): ListenProgress {
  /** The lines that are shown in place. */
  let shown: string[] = [];
  let printed = '';

  const erase = () => {
    if (shown.length > 0) out.write(`\u001b[${shown.length}A\u001b[J`);
    shown = [];
  };
  const print = (lines: readonly string[]) => out.write(lines.map((line) => `${line}\n`).join(''));

  return {
    show(seen) {
      const lines = seenInLines(seen);
      if (out.isTTY) {
        if (lines.join('\n') === shown.join('\n')) return;
        erase();
        print(lines);
        shown = lines;
        return;
      }
      const trouble = troubleIn(seen.traffic);
      const change = `${seen.scenario.name} ${seen.isBegun} ${trouble}`;
      if (change === printed) return;
      printed = change;
      print(row('…', seen.scenario.name, [awaited(seen), ...(trouble ? [trouble] : [])].join('. ')));
    },
    end({ traffic, state }, { rules, scenarios }) {
      erase();
      const result = scenarios.find(({ name }) => name === traffic.name);
      const { verdict, words } = result
        ? troubleOf(result, rules)
        : { verdict: 'passed' as const, words: [] };
      const counts = state === 'skipped' ? [] : [countsOf(traffic)];
      print(row(VERDICTS[verdict].mark, traffic.name, [...counts, ...words].join(', ')));
    },
    close: erase,
  };
}

function seenInLines(seen: ListenStatus): string[] {
  const trouble = troubleIn(seen.traffic);
  const rest = [countsOf(seen.traffic), ...(trouble ? [trouble] : [])].join(', ');
  return [...row('…', seen.scenario.name, awaited(seen)), ...row(' ', '', rest)];
}

function awaited({ scenario, terms, isBegun, traffic }: ListenStatus): string {
  const most = terms.mostSeconds > 0 ? ` (up to ${span(terms.mostSeconds)})` : '';
  if (!isBegun) return `begins when the client reads with a token of ${span(terms.lifetimeSeconds)}${most}`;
  return traffic.calls.length === 0 && scenario.name === 'steady'
    ? 'waits for the client: it has not called yet'
    : `waits for ${scenario.waitsFor}${most}`;
}

/** `6 calls, 1 token, 2 refusals`. */
function countsOf({ calls }: Traffic): string {
  const tokens = calls.filter(isIssue).length;
  const refusals = calls.filter(isRefused).length;
  return [
    several(calls.length, 'call'),
    ...(tokens > 0 ? [several(tokens, 'token')] : []),
    ...(refusals > 0 ? [several(refusals, 'refusal')] : []),
  ].join(', ');
}

/** What keeps a client that calls from getting anywhere; of no interest once it has had data. */
function troubleIn({ calls }: Traffic): string | undefined {
  const last = calls.at(-1);
  if (!last || calls.some(({ status }) => status < 300)) return undefined;
  if (last.reason === 'wrong-credentials') return 'its client_id or client_secret is not the one above (401)';
  return last.status === 403
    ? undefined
    : `${asked(last)} was answered with ${answerOf(last)} (${last.reason})`;
}

const asked = ({ kind, method, path }: Call): string =>
  kind === 'token' ? 'its token request' : kind === 'data' ? 'its read' : `${method} ${path}`;

/** `45 s`, `3 min`; seconds do not matter to what takes minutes. */
export const span = (seconds: number): string =>
  seconds < 120 ? `${Number(seconds.toFixed(1))} s` : `${Math.ceil(seconds / 60)} min`;

function row(mark: string, name: string, text: string): string[] {
  const [first = '', ...rest] = wrap(text, WIDTH - NAME - 2);
  return [
    `${mark} ${name.padEnd(NAME)}${first}`.trimEnd(),
    ...rest.map((line) => ' '.repeat(NAME + 2) + line),
  ];
}
