/** Map.groupBy, which Node.js 20 does not have. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The index of the first of `count` items that is reached, in a list where all after it are as well; `count` where none is. */
export function partitionPoint(count: number, isReached: (at: number) => boolean): number {
  let [from, until] = [0, count];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if (isReached(middle)) until = middle;
    else from = middle + 1;
  }
  return from;
}
