/** What a run of a fleet prints while it runs: a line for each deployment, and on a terminal what is running. */

import type { DeploymentOutcome } from '../../../tests/fleet/fleet-outcome.ts';
import type { Judged } from '../../../tests/fleet/judged.ts';
import { OUTCOME_WORDS } from '../../../tests/fleet/report/wording.ts';
import { clip, inOneLine, several } from '../../../tests/report/text.ts';

export interface Progress {
  started(name: string): void;
  /** `detail` follows the outcome. */
  ended(name: string, outcome: DeploymentOutcome, detail: string): void;
  close(): void;
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** On standard error, so that standard output has only the report. */
export function createProgress(total: number, atOnce: number, stream: Terminal): Progress {
  const running = new Set<string>();
  let done = 0;
  stream.write(`Judging ${several(total, 'deployment')}, at most ${atOnce} at a time.\n`);
  const clear = () => {
    if (stream.isTTY) stream.write('\r\u001b[2K');
  };
  const show = () => {
    if (!stream.isTTY || running.size === 0) return;
    const text = `${done} of ${total} done, running: ${[...running].join(', ')}`;
    stream.write(clip(text, (stream.columns ?? 80) - 1));
  };
  return {
    started(name) {
      running.add(name);
      clear();
      show();
    },
    ended(name, outcome, detail) {
      running.delete(name);
      done += 1;
      clear();
      const count = String(done).padStart(String(total).length);
      const { mark, word } = OUTCOME_WORDS[outcome];
      stream.write(`[${count}/${total}] ${mark} ${name}: ${word}${detail && `, ${inOneLine(detail)}`}\n`);
      show();
    },
    close: clear,
  };
}

/** `2 failed, 1 could not run`, if anything. */
export function inShort(judged: Judged): string {
  const count = (verdict: string) => judged.requirements.filter((one) => one.verdict === verdict).length;
  const [failed, open] = [count('failed'), count('could-not-run')];
  return [failed > 0 && `${failed} failed`, open > 0 && `${open} could not run`].filter(Boolean).join(', ');
}
