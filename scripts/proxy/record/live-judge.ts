/** Judges the traffic while it passes, and reports each finding once. */

import { clip, inOneLine } from '../../../tests/report/text.ts';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { wrongBaseUrl } from '../../../tests/traffic/base-url.ts';
import type { AgreedLifetimes } from '../../../tests/traffic/tokens.ts';
import { type JudgedRecording, judgeRecording } from '../../judge/judge-recording.ts';

import type { LiveRecording } from './live-recording.ts';

export interface LiveJudge {
  /** To be called when something has passed; judges it soon. */
  note(): void;
  /** The verdicts by now; judges what has not been judged. */
  now(): JudgedRecording;
  stop(): void;
}

export interface JudgeTerms {
  lifetimes: AgreedLifetimes | undefined;
  processes: number;
}

/** Time between two judgements, as a multiple of what the last one took: it must not slow the traffic down. */
const SHARE = 30;
const LEAST_MS = 1000;
const LONGEST_LINE = 300;

export function createLiveJudge(
  recording: LiveRecording,
  terms: JudgeTerms,
  { onFinding, onJudged }: { onFinding(line: string): void; onJudged(judged: JudgedRecording): void },
): LiveJudge {
  const reported = new Set<string>();
  let latest: { of: number; judged: JudgedRecording } | undefined;
  let tookMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function now(): JudgedRecording {
    if (latest?.of === recording.size) return latest.judged;
    const begun = performance.now();
    const judged = judgeRecording(recording.recording(), terms);
    latest = { of: recording.size, judged };
    report(judged);
    onJudged(judged);
    tookMs = performance.now() - begun;
    return judged;
  }

  function report(judged: JudgedRecording): void {
    const fresh = found(judged).filter(({ key }) => !reported.has(key));
    if (fresh.length === 0) return;
    const secrets = createSecrets();
    for (const [value, alias] of judged.secrets)
      secrets.register(value, alias, { whole: alias === 'hidden' });
    for (const { key, line } of fresh) {
      reported.add(key);
      onFinding(clip(inOneLine(secrets.redact(line)), LONGEST_LINE));
    }
  }

  /** With a wrong target, every call seems wrong. */
  function found(judged: JudgedRecording): { key: string; line: string }[] {
    const other = recording.elsewhere();
    if (other === undefined) return findingsOf(judged);
    return [
      { key: 'target', line: wrongBaseUrl('! The token requests', '--target', recording.baseUrl, other) },
    ];
  }

  return {
    note() {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          now();
        },
        Math.max(LEAST_MS, SHARE * tookMs),
      ).unref();
    },
    now,
    stop: () => clearTimeout(timer),
  };
}

/** What is wrong: each requirement once, and each rule once for each client. */
function findingsOf({ server, clients }: JudgedRecording): { key: string; line: string }[] {
  return [
    ...server.flatMap(({ verdict, requirement, seen }) =>
      verdict === 'failed'
        ? [
            {
              key: requirement.id,
              line: `✗ service: ${requirement.id} failed: ${requirement.violation ?? requirement.statement} Seen: ${seen}.`,
            },
          ]
        : [],
    ),
    ...clients.flatMap(({ id, certificate }) =>
      certificate.rules.flatMap(({ id: rule, verdict, findings: [first] }) =>
        first && (verdict === 'failed' || verdict === 'warned')
          ? [
              {
                key: `${rule} ${id}`,
                line: `${verdict === 'failed' ? '✗' : '!'} ${id}: ${rule} ${verdict}: ${first.seen}`,
              },
            ]
          : [],
      ),
    ),
  ];
}
