/** First in, first out, in constant time. */
export interface Queue<Item> {
  add(item: Item): void;
  /** The next item to be taken; undefined if the queue is empty. */
  head(): Item | undefined;
  take(): Item | undefined;
  copy(): Queue<Item>;
}

export function createQueue<Item>(first: readonly Item[] = []): Queue<Item> {
  let items = [...first];
  let taken = 0;
  return {
    add: (item) => void items.push(item),
    head: () => items[taken],
    take() {
      const item = items[taken];
      if (item === undefined) return undefined;
      taken++;
      if (taken * 2 > items.length) {
        items = items.slice(taken);
        taken = 0;
      }
      return item;
    },
    copy: () => createQueue(items.slice(taken)),
  };
}
