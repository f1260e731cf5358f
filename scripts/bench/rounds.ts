/** Rounds in which every server has its turn, and which of them other programs left in peace. */
import { cpus } from 'node:os';

export interface Round<Name extends string, Measure extends string> {
  /** How many cores other programs had in use, in the turn that they disturbed most. */
  others: number;
  of: Record<Name, Record<Measure, number>>;
}

/** Of one turn. */
export interface Turn<Measure extends string> {
  figures: Record<Measure, number>;
  /** CPU time of the programs of this measurement, in seconds. */
  own: number;
}

/** Each round starts with another item, since a turn may affect the next one. */
export async function inRounds<Name extends string, Item extends { name: Name }, Measure extends string>(
  count: number,
  items: readonly Item[],
  turn: (item: Item, round: number) => Promise<Turn<Measure>>,
): Promise<Round<Name, Measure>[]> {
  const rounds: Round<Name, Measure>[] = [];
  for (let round = 1; round <= count; round++) {
    const first = round % items.length;
    const of: Partial<Record<Name, Record<Measure, number>>> = {};
    let most = 0;
    for (const item of [...items.slice(first), ...items.slice(0, first)]) {
      const othersIn = watchOthers();
      const { figures, own } = await turn(item, round);
      of[item.name] = figures;
      most = Math.max(most, othersIn(own));
    }
    rounds.push({ others: most, of: of as Record<Name, Record<Measure, number>> });
  }
  return rounds;
}

/** As many rounds as `count`, those with the least disturbance, in their order. No result decides on it. */
export function quietest<One extends { others: number }>(rounds: readonly One[], count: number): One[] {
  const kept = new Set(rounds.toSorted((a, b) => a.others - b.others).slice(0, count));
  return rounds.filter((round) => kept.has(round));
}

/** The values of one figure, one for each round: the values of several at one place met the same machine. */
export const valuesIn =
  <Name extends string, Measure extends string>(rounds: readonly Round<Name, Measure>[]) =>
  (name: Name, measure: Measure): number[] =>
    rounds.map(({ of }) => of[name][measure]);

/** Of a turn that begins now; `own` is the CPU time of the programs of this measurement in it, in seconds. */
function watchOthers(): (own: number) => number {
  const began = performance.now();
  const before = busySeconds();
  const self = process.cpuUsage();
  return (own) => {
    const { user, system } = process.cpuUsage(self);
    const others = busySeconds() - before - own - (user + system) / 1e6;
    return Math.max(0, (others / (performance.now() - began)) * 1000);
  };
}

/** CPU time of all programs since the machine started. */
const busySeconds = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
