/** The place of an item: groups take turns, and within a group tenants take turns. */
export interface Place {
  group: string
  tenant: string
}

/** Round-robin over groups, round-robin over the tenants of a group, FIFO within a tenant. Nothing empty is kept. */
export class FairQueue<Item> {
  /** Maps are ordered by the next turn. */
  readonly #groups = new Map<string, Map<string, Set<Item>>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf({ group, tenant }: Place): number {
    return this.#groups.get(group)?.get(tenant)?.size ?? 0
  }

  add(place: Place, item: Item): void {
    const tenants = this.#groups.get(place.group) ?? new Map<string, Set<Item>>()
    const items = tenants.get(place.tenant) ?? new Set<Item>()
    this.#groups.set(place.group, tenants.set(place.tenant, items.add(item)))
    this.#size++
  }

  delete({ group, tenant }: Place, item: Item): void {
    const tenants = this.#groups.get(group)
    const items = tenants?.get(tenant)
    if (!tenants || !items?.delete(item)) return
    this.#size--
    if (items.size === 0) tenants.delete(tenant)
    if (tenants.size === 0) this.#groups.delete(group)
  }

  /** The next item of a tenant that may have one. Its group and its tenant move to the end. */
  next(isReady: (tenant: string) => boolean): { place: Place; item: Item } | undefined {
    for (const [group, tenants] of this.#groups) {
      for (const [tenant, items] of tenants) {
        if (!isReady(tenant)) continue
        moveToEnd(tenants, tenant, items)
        moveToEnd(this.#groups, group, tenants)
        // A queue that is kept has an item.
        for (const item of items) return { place: { group, tenant }, item }
      }
    }
    return undefined
  }

  /**
   * The item that a fair queue without room gives up for a new one at this place: the last one of the longest queue in the
   * largest group. Undefined where the new one would itself be it.
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

const sizeOfGroup = (tenants: ReadonlyMap<string, ReadonlySet<unknown>>): number =>
  tenants.values().reduce((sum, { size }) => sum + size, 0)

/** The last one of the longest, which has the latest turn. */
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
