import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../kit/config/version.ts'
import type { Pool } from '../../kit/db/client.ts'
import { CATALOG_NAMES, type CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { listCurrentVersions } from './queries.ts'
import type { Source } from './stage.ts'

/** The shipped file of a catalog. */
export const shippedFile = (name: CatalogName) => join(import.meta.dir, '..', 'data', `${name}.csv`)

/** The shipped files, without those of catalogs that an operator or a newer version of the product has loaded. */
export async function shippedSources(
  sql: Pool,
  version = VERSION,
): Promise<{ sources: Source[]; skipped: { name: CatalogName; by: string }[] }> {
  const loaded = new Map((await listCurrentVersions(sql)).map((current) => [current.name, current.product_version]))
  const skipped = CATALOG_NAMES.flatMap((name) => {
    const from = loaded.get(name) ?? null
    if (from === null) return [{ name, by: 'an operator loaded it from another file' }]
    return Bun.semver.order(from, version) > 0 ? [{ name, by: `version ${from} of the product loaded it` }] : []
  })
  const skippedNames = new Set(skipped.map(({ name }) => name))
  const sources = CATALOG_NAMES.filter((name) => !skippedNames.has(name)).map((name) => ({
    catalog: CATALOGS[name],
    open: () => createReadStream(shippedFile(name)),
    shipped: true,
  }))
  return { sources, skipped }
}
