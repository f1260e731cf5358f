/** No rule is hard on a client that does what the specification says, however it goes about it. */
import { expect, _baseTest as test } from '@playwright/test';
import { type Certificate, certificateOf } from '../../tests/client/judge.ts';
import { scenarios } from './scenarios.ts';
import { type Habits, programOf } from './testing/made-up-clients.ts';
import { play } from './testing/made-up-service.ts';

const reactive: Habits = { reacts: true };
const proactive: Habits = { reacts: false, renewsAt: 0.8 };
const both: Habits = { reacts: true, renewsAt: 0.8 };

interface More {
  processes?: number;
  tookMs?: number;
  deadlineSeconds?: number;
}

async function examined(habits: Habits, more: More): Promise<Certificate> {
  const runs = await Promise.all(scenarios.map((scenario) => play(programOf(habits), scenario, more)));
  return certificateOf(
    runs.map((traffic) => ({ traffic, summary: '', state: traffic.ended ? 'ended' : 'seen' })),
  );
}

for (const [name, habits, strategy, warned = [], more = {}] of [
  ['a reactive one', reactive, 'reactive'],
  ['a reactive one with five readers', { ...reactive, readers: 5, pauseMs: 200 }, 'reactive'],
  ['a reactive one that reads fast', { ...reactive, pauseMs: 30 }, 'reactive'],
  ['a reactive one that reads slowly', { ...reactive, pauseMs: 2000 }, 'reactive'],
  ['a reactive one on a busy machine', { ...reactive, pauseMs: 200, loadMs: 1000 }, 'reactive'],
  ['five readers on a busy machine', { ...reactive, readers: 5, loadMs: 100 }, 'reactive'],
  [
    'a reactive one that pauses for longer than a token lives',
    { ...reactive, pauseMs: 7000 },
    'reactive',
    [],
    { deadlineSeconds: 120 },
  ],
  [
    'one of both strategies that pauses for longer than a token lives',
    { ...both, pauseMs: 7000 },
    'both',
    [],
    { deadlineSeconds: 120 },
  ],
  ['one whose calls take long', { ...reactive }, 'reactive', [], { tookMs: 80 }],
  ['one that backs off before it retries', { ...reactive, backOffMs: 500 }, 'reactive'],
  ['one that ends on a 403 that stays', { ...reactive, givesUp: 1 }, 'reactive'],
  ['three reactive processes', reactive, 'reactive', [], { processes: 3 }],
  [
    'two processes of three readers',
    { ...reactive, readers: 3, pauseMs: 200 },
    'reactive',
    [],
    { processes: 2 },
  ],
  ['a proactive one', proactive, 'proactive'],
  ['a proactive one with five readers', { ...proactive, readers: 5, pauseMs: 200 }, 'proactive'],
  ['a proactive one that reads slowly', { ...proactive, pauseMs: 2000 }, 'proactive'],
  ['one with a timer', { ...proactive, byTimer: true }, 'proactive'],
  ['one with a timer that reads slowly', { ...proactive, byTimer: true, pauseMs: 1000 }, 'proactive'],
  ['one that renews far ahead', { ...proactive, renewsAt: 0.5 }, 'proactive'],
  ['one that renews at the last moment', { ...proactive, renewsAt: 0.95 }, 'proactive'],
  ['one with a margin of a minute', { ...proactive, marginSeconds: 60 }, 'proactive'],
  ['two slow proactive processes', { ...proactive, pauseMs: 1000 }, 'proactive', [], { processes: 2 }],
  ['one of both strategies', both, 'both'],
  ['one of both strategies on a busy machine', { ...both, pauseMs: 50, loadMs: 100 }, 'both'],
  ['five readers of both strategies', { ...both, readers: 5, pauseMs: 200 }, 'both'],
] as [string, Habits, string, string[]?, More?][])
  test(`of correct clients ${name} is conformant`, async () => {
    const certificate = await examined(habits, more);
    const broken = certificate.rules.filter(({ findings }) => findings.length > 0);
    expect(broken.map(({ id, findings }) => [id, findings[0]?.seen])).toEqual(
      warned.map((id) => [id, expect.any(String)]),
    );
    expect([certificate.outcome, certificate.strategy]).toEqual(['conformant', strategy]);
    expect(certificate.tokens.asked).toBeGreaterThanOrEqual(certificate.tokens.needed);
  });
