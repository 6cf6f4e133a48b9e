import { type Signal, signal } from '@preact/signals'
import { market } from './api.ts'
import { useRecord } from './data.ts'
import { firstRead } from './settling.ts'

type Load<Value> = (ids: string[]) => Promise<[id: string, value: Value][]>

const MAX_IDS = 100

/** What is known of records by id, such as their names. Those that are asked for together are read together, once. */
export class Known<Value> {
  readonly #load: Load<Value>
  readonly #known = new Map<string, Signal<Value | undefined>>()
  #asked: string[] = []

  constructor(load: Load<Value>) {
    this.#load = load
  }

  /** Undefined until it is read. */
  of(id: string): Value | undefined {
    const known = this.#known.get(id)
    if (known) return known.value
    const value = signal<Value | undefined>(undefined)
    this.#known.set(id, value)
    if (this.#asked.push(id) === 1) queueMicrotask(() => this.#read())
    return value.value
  }

  async #read(): Promise<void> {
    const ids = this.#asked.slice(0, MAX_IDS)
    this.#asked = this.#asked.slice(MAX_IDS)
    if (this.#asked.length > 0) queueMicrotask(() => this.#read())
    const values = new Map(await firstRead(this.#load(ids)).catch(() => []))
    for (const id of ids) {
      const value = values.get(id)
      const known = this.#known.get(id)
      if (value === undefined) this.#known.delete(id)
      else if (known) known.value = value
    }
  }
}

const body = (ids: string[]) => ({ body: { ids } })
const orgs = new Known<string>(async (ids) =>
  (await market.POST('/v1/orgs:batch-get', body(ids))).data.items.map(({ id, name }) => [id, name]),
)
const parts = new Known<string>(async (ids) =>
  (await market.POST('/flows/v1/parts:batch-get', body(ids))).data.items.map(({ id, title, serialNumber }) => [
    id,
    title ?? serialNumber,
  ]),
)
const factories = new Known<string>(async (ids) =>
  (await market.POST('/v1/factories:batch-get', body(ids))).data.items.map(({ id, name }) => [id, name]),
)

/** Names where only text can be shown, such as in a choice. */
export const orgName = (id: string) => orgs.of(id) || '…'
export const partTitle = (id: string, unknown = '…') => parts.of(id) || unknown

const nameOf =
  (names: Known<string>) =>
  ({ id }: { id: string }) => <>{names.of(id) || '…'}</>

export const OrgName = nameOf(orgs)
export const PartTitle = nameOf(parts)
export const FactoryName = nameOf(factories)

export const personName = ({ givenName, familyName }: { givenName: string; familyName: string }) =>
  `${givenName} ${familyName}`

/** The name of a user of the own organization. */
export function UserName({ id }: { id: string }) {
  const { data } = useRecord('/v1/users/{id}', { path: { id } })
  return <>{data ? personName(data) : '…'}</>
}
