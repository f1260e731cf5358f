/** What becomes of each exchange that has passed: it is recorded, shown and judged. */
import type { State } from '../../../mocks/state.ts';
import type { JudgedRecording } from '../../judge/judge-recording.ts';
import type { Recording } from '../../judge/read-recording.ts';
import type { Passed } from '../forward/passed.ts';
import type { Service } from '../forward/service.ts';
import type { HarFile } from '../har/har-file.ts';
import { createJournalFeed, type JournalFeed } from './journal-feed.ts';
import { createKnownSecrets, type KnownSecrets } from './known-secrets.ts';
import { createLiveJudge, type JudgeTerms } from './live-judge.ts';
import { createLiveRecording } from './live-recording.ts';
import { recordedOf } from './recorded.ts';
import { createTroubleReporter } from './trouble.ts';

export interface Observer extends Pick<JournalFeed, 'tokenOf'> {
  add(passed: Passed): void;
  /** Resolves when what has been added by now is recorded. */
  settled(): Promise<void>;
  /** Ignores what passes from now on. */
  stop(): void;
  /** The verdicts on what has been judged last. */
  latest(): JudgedRecording;
  /** The final verdicts. */
  result(): Promise<{
    recording: Recording;
    judged: JudgedRecording;
    /** How many requests the proxy answered itself. */
    own: { unanswered: number; injected: number };
    secrets: KnownSecrets;
    /** The base URL of the service, where the target seems to be a wrong one. */
    elsewhere: string | undefined;
  }>;
}

interface ObserverParts {
  service: Service;
  state: State;
  terms: JudgeTerms;
  /** As readHealthPaths returns them. */
  healthPaths: readonly string[];
  har?: HarFile | undefined;
  onFinding(line: string): void;
  /** Called with a sentence when the service cannot be reached, once for each cause. */
  onTrouble?: ((sentence: string) => void) | undefined;
}

export function createObserver({
  service,
  state,
  terms,
  healthPaths,
  har,
  onFinding,
  onTrouble = () => {},
}: ObserverParts): Observer {
  const secrets = createKnownSecrets();
  const { origin } = new URL(service.baseUrl);
  const recording = createLiveRecording(service.baseUrl, healthPaths);
  const feed = createJournalFeed(state, secrets.redact, terms.lifetimes);
  const judge = createLiveJudge(recording, terms, {
    onFinding,
    onJudged({ history }) {
      for (const life of history.lives)
        if (life.hasExpired && life === history.livesOf(life.value).at(-1)) feed.expire(life.value);
    },
  });
  /** One after the other, in their order: a small body may decode to a large one. */
  let observed = Promise.resolve();
  const reportTrouble = createTroubleReporter(service.baseUrl, (sentence) =>
    onTrouble(secrets.redact(sentence)),
  );
  const own = { unanswered: 0, injected: 0 };
  let entries = 0;
  let isStopped = false;

  async function observe(passed: Passed): Promise<void> {
    const exchange = await recordedOf(passed, ++entries, origin);
    if (exchange.proxyAnswer?.startsWith('injected')) own.injected++;
    else if (exchange.proxyAnswer !== undefined) own.unanswered++;
    const judged = recording.add(exchange);
    secrets.note(exchange, judged, recording.hidden);
    const added = feed.add(passed, judged);
    passed.onRecorded?.(added.issued);
    reportTrouble(passed);
    har?.add(added, judged, secrets);
    judge.note();
  }

  return {
    tokenOf: feed.tokenOf,
    add(passed) {
      if (isStopped) return passed.release();
      observed = observed.then(() => observe(passed)).finally(passed.release);
    },
    settled: () => observed,
    stop() {
      isStopped = true;
      judge.stop();
    },
    latest: judge.now,
    async result() {
      await observed;
      const elsewhere = secrets.redact(recording.elsewhere());
      return { recording: recording.recording(), judged: judge.now(), own, secrets, elsewhere };
    },
  };
}
