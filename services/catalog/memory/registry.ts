import type { Pool } from '../../kit/db/client.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Catalog, CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { loadContents } from './load.ts'
import { CatalogStore } from './store.ts'

type FilterOf<Name extends CatalogName> = (typeof CATALOGS)[Name] extends Catalog<infer Filter> ? Filter : never

export type CatalogStores = { readonly [Name in CatalogName]: CatalogStore<FilterOf<Name>> }

/** What the routes of a catalog are made of. */
export interface CatalogDeps {
  http: Http
  stores: CatalogStores
}

/** All catalogs in memory, and the one who loads them: never the same catalog twice at a time, or old could replace new. */
export class CatalogRegistry {
  readonly stores = Object.fromEntries(
    Object.entries<Catalog>(CATALOGS).map(([name, catalog]) => [name, new CatalogStore(catalog)]),
  ) as CatalogStores
  readonly #sql: Pool
  /** Catalogs whose contents in memory may be older than the stored ones. */
  readonly #stale = new Set<CatalogName>()
  #loading: Promise<void> | undefined

  constructor(sql: Pool) {
    this.#sql = sql
  }

  /** Loads these catalogs, and those that an earlier try could not load. Answers when memory holds what is stored. */
  load(names: Iterable<CatalogName> = []): Promise<void> {
    for (const name of names) this.#stale.add(name)
    if (this.#stale.size > 0) this.#loading ??= this.#loadStale()
    return this.#loading ?? Promise.resolve()
  }

  async #loadStale(): Promise<void> {
    try {
      // A catalog that gets stale again while it is loaded joins the set again, and so this loop.
      for (const name of this.#stale) {
        this.#stale.delete(name)
        await this.#loadShelf<string>(CATALOGS[name], this.stores[name]).catch((error) => {
          this.#stale.add(name)
          throw error
        })
      }
    } finally {
      this.#loading = undefined
    }
  }

  async #loadShelf<Filter extends string>(catalog: Catalog<Filter>, store: CatalogStore<Filter>): Promise<void> {
    store.replace(await loadContents(this.#sql, catalog))
  }
}
