/** A client in this process, and a mock that gives it something to meet: what is seen of it on the wire. */
import { type Entry, type MockClient, startMock } from '../../mocks/index.ts';
import { type Parts, runClient } from '../../tests/clients/client.ts';
import type { Outgoing } from '../../tests/clients/connections.ts';
import { reactive } from '../../tests/clients/parts.ts';

type Step = NonNullable<MockClient['script']>[number];

const ending: Step = { nth: 2, when: 'after', do: { expire: 'token' } };
const onRenewal = (action: Step['do']): Step[] => [
  ending,
  { on: 'obtainToken', from: 2, outsideContract: true, do: action },
];
const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' };

/** The same for every client, after its second or third call. */
export const circumstances = {
  renewing: { script: [ending] },
  'renewing-slowly': { script: onRenewal({ delay: '200ms' }) },
  'short-lived': { tokenLifetime: 1 },
  refused: { script: [{ from: 3, do: { answer: { status: 403 } } }] },
  'refused-by-page': {
    script: [{ nth: 3, outsideContract: true, do: { expire: 'token', answer: page } }],
  },
  'token-down': { script: onRenewal({ answer: { status: 503 } }) },
  'token-limited': { script: onRenewal({ answer: { status: 429, headers: { 'retry-after': '1' } } }) },
  reset: { script: [{ nth: 3, do: { reset: true } }] },
} satisfies Record<string, Partial<MockClient>>;

export type Circumstance = keyof typeof circumstances;

export interface Seen {
  /** What the mock noted, in the order in which it was asked. */
  entries: readonly Entry[];
  tokens: readonly Entry[];
  data: readonly Entry[];
  /** What was handed to the connection, for what no journal holds: values of queries, and bodies. */
  sent: readonly (Outgoing & { status?: number })[];
  /** The exit code of a client that has ended by itself. */
  ended?: number;
}

/** Runs a client until something is seen of it, and for no longer than `seconds`: what was seen. */
export async function observe(
  behaviour: Partial<Parts>,
  { meets, until, seconds = 6 }: { meets: Circumstance; until: (seen: Seen) => boolean; seconds?: number },
): Promise<Seen> {
  const terms: Partial<MockClient> = circumstances[meets];
  await using mock = await startMock({ clients: [{ id: 'acme', secret: 's3cret', ...terms }] });
  const sent: (Outgoing & { status?: number })[] = [];
  const send = behaviour.send ?? reactive.send;
  const env = { baseUrl: mock.url, clientId: 'acme', clientSecret: 's3cret', pollSeconds: 0.05 };
  const client = runClient(
    { ...env, tokenLifetimeSeconds: Number(terms.tokenLifetime ?? 900) },
    {
      ...behaviour,
      async send(of, request) {
        const noted: (typeof sent)[number] = { ...request };
        sent.push(noted);
        const answer = await send(of, request);
        noted.status = answer.status;
        return answer;
      },
    },
  );
  let ended: number | undefined;
  void client.ended.then((code) => {
    ended = code;
  });
  const seen = (): Seen => {
    const entries = mock.journal().toSorted((one, other) => one.wallAt.localeCompare(other.wallAt));
    const of = (id: string) => entries.filter(({ operation }) => operation === id);
    const code = ended === undefined ? {} : { ended };
    return { entries, tokens: of('obtainToken'), data: of('readData'), sent: [...sent], ...code };
  };
  for (const end = performance.now() + 1000 * seconds; performance.now() < end && !until(seen()); )
    await new Promise((resolve) => setTimeout(resolve, 20));
  const all = seen();
  await client.stop();
  return all;
}
