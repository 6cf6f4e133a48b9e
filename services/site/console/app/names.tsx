import { type Signal, signal } from '@preact/signals'
import { market } from './api.ts'

type Load = (ids: string[]) => Promise<[id: string, name: string][]>

const MAX_IDS = 100

/** Names of records by id. Those that are asked for together are read together, once. */
class Names {
  readonly #load: Load
  readonly #known = new Map<string, Signal<string>>()
  #asked: string[] = []

  constructor(load: Load) {
    this.#load = load
  }

  of(id: string): string {
    const known = this.#known.get(id)
    if (known) return known.value
    const name = signal('')
    this.#known.set(id, name)
    if (this.#asked.push(id) === 1) queueMicrotask(() => this.#read())
    return name.value
  }

  async #read(): Promise<void> {
    const ids = this.#asked.slice(0, MAX_IDS)
    this.#asked = this.#asked.slice(MAX_IDS)
    if (this.#asked.length > 0) queueMicrotask(() => this.#read())
    const names = new Map(await this.#load(ids).catch(() => []))
    for (const id of ids) {
      const name = names.get(id)
      const known = this.#known.get(id)
      if (name === undefined) this.#known.delete(id)
      else if (known) known.value = name
    }
  }
}

const body = (ids: string[]) => ({ body: { ids } })
const orgs = new Names(async (ids) =>
  (await market.POST('/v1/orgs:batch-get', body(ids))).data.items.map(({ id, name }) => [id, name]),
)
const parts = new Names(async (ids) =>
  (await market.POST('/flows/v1/parts:batch-get', body(ids))).data.items.map(({ id, title, serialNumber }) => [
    id,
    title ?? serialNumber,
  ]),
)
const factories = new Names(async (ids) =>
  (await market.POST('/v1/factories:batch-get', body(ids))).data.items.map(({ id, name }) => [id, name]),
)

/** Names where only text can be shown, such as in a choice. */
export const orgName = (id: string) => orgs.of(id) || '…'
export const partTitle = (id: string, unknown = '…') => parts.of(id) || unknown

const nameOf =
  (names: Names) =>
  ({ id }: { id: string }) => <>{names.of(id) || '…'}</>

export const OrgName = nameOf(orgs)
export const PartTitle = nameOf(parts)
export const FactoryName = nameOf(factories)
