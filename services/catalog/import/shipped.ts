import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from '../../kit/db/client.ts'
import { CATALOG_NAMES, type CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { currentVersions } from './queries.ts'
import type { Source } from './stage.ts'

/** The shipped file of a catalog. */
export const shippedFile = (name: CatalogName) => join(import.meta.dir, '..', 'data', `${name}.csv`)

/** The shipped files of catalogs without content of an operator. */
export async function shippedSources(sql: Pool): Promise<{ sources: Source[]; skipped: CatalogName[] }> {
  const own = new Set((await currentVersions(sql)).filter(({ shipped }) => !shipped).map(({ name }) => name))
  const sources = CATALOG_NAMES.filter((name) => !own.has(name)).map((name) => ({
    catalog: CATALOGS[name],
    open: () => createReadStream(shippedFile(name)),
    shipped: true,
  }))
  return { sources, skipped: CATALOG_NAMES.filter((name) => own.has(name)) }
}
