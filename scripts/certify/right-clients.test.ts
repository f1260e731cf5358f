/** No rule is hard on a client that does what the specification says, however slow or busy it is; the proof has others. */
import { expect, _baseTest as test } from '@playwright/test';
import { leavesRefusals, reactive, renewingAt, renewingBefore } from '../../tests/client/corpus/parts.ts';
import type { PermittedClient } from '../../tests/client/corpus/subject.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { busy, type Circumstances, examined } from './testing/correct-clients.ts';

const both = renewingAt(0.8);
const proactive = { ...both, ...leavesRefusals };

for (const [name, behaviour, strategy, circumstances = {}] of [
  ['a reactive one on a busy machine', busy(1000), 'reactive'],
  ['five readers on a busy machine', { readers: 5, ...busy(100) }, 'reactive'],
  ['one of both strategies on a busy machine', { ...both, pollSeconds: 0.05, ...busy(100) }, 'both'],
  ['one that pauses for longer than a token lives', { pollSeconds: 7 }, 'reactive', { deadlineSeconds: 120 }],
  [
    'one of both strategies that pauses for longer than a token lives',
    { ...both, pollSeconds: 7 },
    'both',
    { deadlineSeconds: 120 },
  ],
  ['one whose calls take long', {}, 'reactive', { delay: '80ms' }],
  [
    'one that backs off before it retries',
    {
      async refused(client, token, turn) {
        const fresh = await client.renew(token);
        await client.pause(0.5);
        return client.reread(fresh, turn);
      },
    },
    'reactive',
  ],
  ['two processes of three readers', { readers: 3 }, 'reactive', { processes: 2 }],
  ['one that renews at the last moment', { ...proactive, ...renewingAt(0.95) }, 'proactive'],
  ['one with a margin of a minute', { ...proactive, ...renewingBefore(60) }, 'proactive'],
  ['two slow proactive processes', { ...proactive, pollSeconds: 1 }, 'proactive', { processes: 2 }],
  ['a reactive one that reads slowly', { ...reactive, pollSeconds: 2 }, 'reactive'],
] as [string, PermittedClient['behaviour'], string, Circumstances?][])
  test(`of correct clients ${name} is conformant`, async () => {
    const certificate = certificateOf(await examined(behaviour, circumstances));
    const broken = certificate.rules.filter(({ findings }) => findings.length > 0);
    expect(broken.map(({ id, findings }) => [id, findings[0]?.seen])).toEqual([]);
    expect([certificate.outcome, certificate.strategy]).toEqual(['conformant', strategy]);
    expect(certificate.tokens.asked).toBeGreaterThanOrEqual(certificate.tokens.needed);
  });
