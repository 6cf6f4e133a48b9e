import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { CatalogName } from '../catalog/catalog.ts'
import { CATALOGS } from '../catalog/catalogs.ts'
import { type ImportOutcome, importCatalogs } from '../catalog/import/commands.ts'
import { exportCatalog } from '../catalog/import/export.ts'
import { shippedFile } from '../catalog/import/shipped.ts'
import type { Pool } from '../kit/db/client.ts'

/** Imports texts as files. */
export const importTexts = (sql: Pool, files: Partial<Record<CatalogName, string>>): Promise<ImportOutcome> =>
  importCatalogs(
    { sql, clock: Date.now },
    Object.entries(files).map(([name, text]) => ({
      catalog: CATALOGS[name as CatalogName],
      open: () => Readable.from([Buffer.from(text)]),
      shipped: false,
    })),
  )

/** Restores the shipped content of a catalog, with which every test database starts. */
export const restoreShipped = (sql: Pool, name: CatalogName): Promise<ImportOutcome> =>
  importCatalogs({ sql, clock: Date.now }, [
    { catalog: CATALOGS[name], open: () => createReadStream(shippedFile(name)), shipped: true },
  ])

export async function exportedText(sql: Pool, name: CatalogName): Promise<string> {
  let text = ''
  await exportCatalog(sql, CATALOGS[name], async (part) => {
    text += part
  })
  return text
}

export const shippedText = (name: CatalogName): Promise<string> => Bun.file(shippedFile(name)).text()
