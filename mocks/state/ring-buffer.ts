/** The latest items, up to a capacity. */
export interface Ring<Item> {
  add(item: Item): void;
  /** From oldest to newest. */
  items(): Item[];
  clear(): void;
}

export function createRing<Item>(capacity: number): Ring<Item> {
  let slots: Item[] = [];
  let next = 0;
  return {
    add(item) {
      slots[next] = item;
      next = (next + 1) % capacity;
    },
    items: () => [...slots.slice(next), ...slots.slice(0, next)],
    clear() {
      slots = [];
      next = 0;
    },
  };
}
