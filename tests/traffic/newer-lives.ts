/** What is known of the tokens that were issued after another one to the same client, without a search through them all. */
import { groupBy, partitionPoint } from '../support/collections.ts';
import type { TokenLife } from './token-life.ts';

export interface NewerLives {
  /** Whether one of them had come by this time. */
  hadCome(life: TokenLife, byMs: number): boolean;
  /** Whether one of them was accepted at this time or later. */
  wasAccepted(life: TokenLife, fromMs: number): boolean;
  /** The first of them that was accepted. */
  firstAccepted(life: TokenLife): TokenLife | undefined;
}

/** Issued tokens in the order of time; at each place what holds for it and all after it. */
interface Succession {
  lives: readonly TokenLife[];
  earliestCameMs: readonly number[];
  latestAcceptedMs: readonly number[];
  firstAccepted: readonly (TokenLife | undefined)[];
}

/** `lives` in the order in which they came up, with all that is known of when they were issued and accepted. */
export function newerLivesOf(lives: readonly TokenLife[]): NewerLives {
  const issued = lives.filter((life) => life.issued !== undefined);
  const all = successionOf(issued);
  const ofClients = new Map(
    [...groupBy(issued, ({ clientId }) => clientId)].map(([id, own]) => [id, successionOf(own)]),
  );
  /** Of an unknown client, those of all. */
  const after = ({ clientId, issued }: TokenLife): { own: Succession; at: number } => {
    const own = clientId === undefined ? all : (ofClients.get(clientId) ?? NONE);
    const at = issued
      ? partitionPoint(own.lives.length, (nth) => (own.lives[nth]?.issued?.startMs ?? 0) > issued.startMs)
      : 0;
    return { own, at };
  };
  return {
    hadCome(life, byMs) {
      const { own, at } = after(life);
      return (own.earliestCameMs[at] ?? Number.POSITIVE_INFINITY) <= byMs;
    },
    wasAccepted(life, fromMs) {
      const { own, at } = after(life);
      return (own.latestAcceptedMs[at] ?? Number.NEGATIVE_INFINITY) >= fromMs;
    },
    firstAccepted(life) {
      const { own, at } = after(life);
      return own.firstAccepted[at];
    },
  };
}

const NONE: Succession = { lives: [], earliestCameMs: [], latestAcceptedMs: [], firstAccepted: [] };

function successionOf(lives: readonly TokenLife[]): Succession {
  const earliestCameMs: number[] = [];
  const latestAcceptedMs: number[] = [];
  const firstAccepted: (TokenLife | undefined)[] = [];
  for (let at = lives.length - 1; at >= 0; at--) {
    const { issued, accepted } = lives[at] as TokenLife;
    earliestCameMs[at] = Math.min(issued?.endMs ?? 0, earliestCameMs[at + 1] ?? Number.POSITIVE_INFINITY);
    latestAcceptedMs[at] = Math.max(
      accepted?.startMs ?? Number.NEGATIVE_INFINITY,
      latestAcceptedMs[at + 1] ?? Number.NEGATIVE_INFINITY,
    );
    firstAccepted[at] = accepted ? lives[at] : firstAccepted[at + 1];
  }
  return { lives, earliestCameMs, latestAcceptedMs, firstAccepted };
}
