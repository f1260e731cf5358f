/** The package: the mock in process, with deployments and the judge of clients plugged in. `await using mock = await startMock()`. */

import { findDeployments } from '../../mocks/deployments/find-deployment.ts';
import {
  MockError,
  type MockOptions,
  type ObservedClient,
  type Mock as PlainMock,
  startMock as startPlainMock,
} from '../../mocks/index.ts';
import { type Certificate, certificateOf } from '../../tests/client/judge.ts';
import { createSecrets } from '../../tests/support/secrets.ts';

export type * from '../../mocks/index.ts';
export type { Strategy, TokenCount } from '../../tests/client/evidence.ts';
export type { Certificate, JudgedRule, ScenarioResult } from '../../tests/client/judge.ts';
export type { Finding } from '../../tests/client/rule.ts';
export type { Outcome, Verdict } from '../../tests/support/verdict.ts';
export { MockError };

/** A mock that listens, and judges its clients. */
export interface Mock extends PlainMock {
  /**
   * Whether a client keeps the clauses that bind clients, by which strategy it renews, and how many tokens would have
   * been enough, as far as the journal shows. `processes` share its id, each with a token of its own; default 1. Throws
   * MockError if there is no such client.
   */
  certificate(client: string, options?: { processes?: number }): Certificate;
}

type Plugged = 'deployments' | 'examiner' | 'secrets';

/** Starts a mock. Throws MockError for invalid options and for an address that it cannot listen on. */
export async function startMock(options: Omit<MockOptions, Plugged> = {}): Promise<Mock> {
  const plugged = { deployments: findDeployments, examiner: { certificate }, secrets: createSecrets() };
  const mock = await startPlainMock({ ...options, ...plugged });
  return Object.assign(mock, {
    certificate(id: string, { processes = 1 }: { processes?: number } = {}) {
      if (!Number.isInteger(processes) || processes < 1 || processes > 999)
        throw new MockError(`processes is ${processes}. Give a whole number from 1 to 999.`);
      const { tokenLifetimesSeconds } = mock.client(id);
      return certificate({ id, tokenLifetimesSeconds, processes, traffic: mock.traffic(id) });
    },
  });
}

/** What the journal holds of a client, judged as a single scenario. */
function certificate({ tokenLifetimesSeconds, processes, traffic }: ObservedClient): Certificate {
  const agreedSeconds = tokenLifetimesSeconds[0] ?? 0;
  const terms = { name: 'journal', agreedSeconds, lifetimesSeconds: tokenLifetimesSeconds, processes };
  return certificateOf([
    {
      traffic: { ...traffic, ...terms },
      summary: 'what the journal holds of the client',
      state: traffic.calls.length > 0 ? 'seen' : 'silent',
    },
  ]);
}
