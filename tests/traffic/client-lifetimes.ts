/** How long the tokens of each client live: clause 5.1 lets the operator agree on a lifetime with each. In seconds. */
import { parseDuration } from '../support/duration.ts';
import { OPTION_ADVICE } from '../support/option-advice.ts';
import { UsageError } from '../support/usage-error.ts';
import { contradicts, type SeenLifetime } from './token-history.ts';

/** As they are given on the command line. */
export interface AgreedLifetimes {
  /** Of each client without a lifetime of its own. */
  others?: number;
  byClient: ReadonlyMap<string, number>;
}

export const NONE_AGREED: AgreedLifetimes = { byClient: new Map() };

/**
 * Adds a value of the option `name` to those `before`: a duration, or a client id with one, as `demo=8s`. Throws
 * UsageError for another form, and for a second value for the same clients.
 */
export function addLifetime(text: string, name: string, before: unknown = NONE_AGREED): AgreedLifetimes {
  const known = before as AgreedLifetimes;
  const at = text.lastIndexOf('=');
  if (at === -1) {
    if (known.others !== undefined)
      throw new UsageError(
        `${name} has two values for all clients, the second is "${text}". Give one, and others with a client id: demo=8s.`,
      );
    return { ...known, others: parseDuration(text, name) };
  }
  const id = text.slice(0, at);
  if (id === '')
    throw new UsageError(
      `${name} is "${text}", which names no client. Write an id before the sign, as demo=8s.`,
    );
  if (known.byClient.has(id))
    throw new UsageError(`${name} has two values for the client "${id}", the second is "${text}". Give one.`);
  const seconds = parseDuration(text.slice(at + 1), `${name} for the client "${id}"`);
  return { ...known, byClient: new Map([...known.byClient, [id, seconds]]) };
}

/** What was agreed with one client; of an unknown client, what was agreed with all. */
export const agreedWith = (
  { others, byClient }: AgreedLifetimes,
  id: string | undefined,
): number | undefined =>
  id === undefined ? (byClient.size === 0 ? others : undefined) : (byClient.get(id) ?? others);

/** The lifetimes that tokens are judged by, and why not where the agreed one is not the one that was seen. */
export interface ClientLifetimes {
  /** The lifetime agreed with a client; undefined where it is not known, or contradicts the traffic. */
  agreed(clientId: string | undefined): number | undefined;
  /** Where the lifetime of a client is agreed and another was seen: that, as a sentence. The traffic does not show which is wrong. */
  doubt(clientId: string | undefined): string | undefined;
  hasDoubts: boolean;
}

/** `seen`: by the ids of clients. */
export function clientLifetimes(
  given: AgreedLifetimes,
  seen: ReadonlyMap<string | undefined, SeenLifetime>,
): ClientLifetimes {
  const doubts = new Map(
    [...seen].flatMap(([id, lifetime]): [string | undefined, string][] => {
      const doubt = doubtOf(id, lifetime, agreedWith(given, id));
      return doubt === undefined ? [] : [[id, doubt]];
    }),
  );
  return {
    agreed: (id) => (doubts.has(id) ? undefined : agreedWith(given, id)),
    doubt: (id) => doubts.get(id),
    hasDoubts: doubts.size > 0,
  };

  function doubtOf(
    id: string | undefined,
    { atLeastSeconds, atMostSeconds }: SeenLifetime,
    agreedSeconds: number | undefined,
  ): string | undefined {
    if (agreedSeconds === undefined || !contradicts({ atLeastSeconds, atMostSeconds }, agreedSeconds))
      return undefined;
    const [atLeast, atMost] = [atLeastSeconds.toFixed(1), atMostSeconds.toFixed(1)];
    const whose = seen.size > 1 && id !== undefined ? ` of ${id}` : '';
    return `The agreed token lifetime${whose} is ${agreedSeconds} s, but tokens were accepted until the age of ${atLeast} s and refused as expired from ${atMost} s on. ${OPTION_ADVICE.otherLifetime}`;
  }
}
