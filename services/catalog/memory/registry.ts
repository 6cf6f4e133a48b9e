import type { Pool } from '../../kit/db/client.ts'
import type { Catalog, CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { loadContents } from './load.ts'
import { CatalogStore } from './store.ts'

type FilterOf<Name extends CatalogName> = (typeof CATALOGS)[Name] extends Catalog<infer Filter> ? Filter : never

export type CatalogStores = { readonly [Name in CatalogName]: CatalogStore<FilterOf<Name>> }

/** All catalogs in memory. Loads are serialized, because a slow older load could otherwise replace a newer one. */
export class CatalogRegistry {
  readonly stores = Object.fromEntries(
    Object.entries<Catalog>(CATALOGS).map(([name, catalog]) => [name, new CatalogStore(catalog)]),
  ) as CatalogStores
  readonly #sql: Pool
  /** Catalogs whose contents in memory may be outdated. */
  readonly #stale = new Set<CatalogName>()
  #loading: Promise<void> | undefined

  constructor(sql: Pool) {
    this.#sql = sql
  }

  /** Loads these catalogs and those whose last load failed. Resolves when all are current. */
  load(names: Iterable<CatalogName> = []): Promise<void> {
    for (const name of names) this.#stale.add(name)
    if (this.#stale.size > 0) this.#loading ??= this.#loadStale()
    return this.#loading ?? Promise.resolve()
  }

  async #loadStale(): Promise<void> {
    try {
      // A catalog that becomes outdated during its load is added to the set again.
      for (const name of this.#stale) {
        this.#stale.delete(name)
        await this.#loadStore<string>(CATALOGS[name], this.stores[name]).catch((error) => {
          this.#stale.add(name)
          throw error
        })
      }
    } finally {
      this.#loading = undefined
    }
  }

  async #loadStore<Filter extends string>(catalog: Catalog<Filter>, store: CatalogStore<Filter>): Promise<void> {
    store.replace(await loadContents(this.#sql, catalog))
  }
}
