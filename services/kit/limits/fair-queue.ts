/** The place of an item: groups take turns, and within a group keys take turns. */
export interface Place {
  group: string
  key: string
}

/** Round-robin over groups, round-robin over the keys of a group, FIFO within a key. Nothing empty is kept. */
export class FairQueue<Item> {
  /** Maps are ordered by the next turn. */
  readonly #groups = new Map<string, Map<string, Set<Item>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf({ group, key }: Place): number {
    return this.#groups.get(group)?.get(key)?.size ?? 0
  }

  add(place: Place, item: Item): void {
    const keys = this.#groups.get(place.group) ?? new Map<string, Set<Item>>()
    const items = keys.get(place.key) ?? new Set<Item>()
    this.#groups.set(place.group, keys.set(place.key, items.add(item)))
    this.#size++
  }

  delete({ group, key }: Place, item: Item): void {
    const keys = this.#groups.get(group)
    const items = keys?.get(key)
    if (!keys || !items?.delete(item)) return
    this.#size--
    if (items.size === 0) keys.delete(key)
    if (keys.size === 0) this.#groups.delete(group)
  }

  /** The next item of a key that may have one. Its group and its key move to the end. */
  next(isReady: (key: string) => boolean): { place: Place; item: Item } | undefined {
    for (const [group, keys] of this.#groups) {
      for (const [key, items] of keys) {
        if (!isReady(key)) continue
        moveToEnd(keys, key, items)
        moveToEnd(this.#groups, group, keys)
        // A queue that is kept has an item.
        for (const item of items) return { place: { group, key }, item }
      }
    }
    return undefined
  }

  /**
   * The item that a full queue drops for a new one at this place: the last one of the longest queue in the largest
   * group. Undefined if that would be the new item itself.
   */
  lastOfLongest(place: Place): Item | undefined {
    const own = this.#groups.get(place.group)
    const largest = longest(this.#groups.values(), sizeOfGroup)
    const isOtherGroup = largest !== undefined && sizeOfGroup(largest) > (own ? sizeOfGroup(own) : 0) + 1
    const items = longest((isOtherGroup ? largest : own)?.values() ?? [], ({ size }) => size)
    if (!items || (!isOtherGroup && items.size <= this.sizeOf(place) + 1)) return undefined
    return Array.from(items).at(-1)
  }
}

const sizeOfGroup = (keys: ReadonlyMap<string, ReadonlySet<unknown>>): number =>
  keys.values().reduce((sum, { size }) => sum + size, 0)

/** The longest candidate; of several, the last one, because its turn is the latest. */
function longest<T>(candidates: Iterable<T>, sizeOf: (candidate: T) => number): T | undefined {
  let found: T | undefined
  let size = 0
  for (const candidate of candidates) {
    const other = sizeOf(candidate)
    if (other >= size) [found, size] = [candidate, other]
  }
  return found
}

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
}
