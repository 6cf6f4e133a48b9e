import type { ComponentChildren } from 'preact'

export interface Group<Item> {
  /** Undefined for a row that belongs to none. */
  keyOf: (item: Item) => string | undefined
  head: (key: string, items: readonly Item[]) => ComponentChildren
}

/** The rows with those of a group together, where the first of them is; each with the group that begins with it. */
export function grouped<Item>(items: readonly Item[], group: Group<Item> | undefined) {
  if (!group) return items.map((item) => ({ item, begins: undefined }))
  const all = Map.groupBy(items, (item) => group.keyOf(item))
  const shown = new Set<string>()
  return items.flatMap((item) => {
    const key = group.keyOf(item)
    if (key === undefined) return [{ item, begins: undefined }]
    if (shown.has(key)) return []
    shown.add(key)
    const together = all.get(key) ?? []
    return together.map((each, at) => ({ item: each, begins: at === 0 ? group.head(key, together) : undefined }))
  })
}
