import { createReadStream, type ReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CATALOG_NAMES, type CatalogName } from '../../../services/catalog/catalog.ts'
import { CATALOGS } from '../../../services/catalog/catalogs.ts'
import { EntriesBusy, ImportRunning, importCatalogs } from '../../../services/catalog/import/commands.ts'
import { exportCatalog } from '../../../services/catalog/import/export.ts'
import { shippedFile, shippedSources } from '../../../services/catalog/import/shipped.ts'
import type { Source } from '../../../services/catalog/import/stage.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { importProgress } from './catalog-progress.ts'
import { withDatabase } from './database.ts'
import { operatorEnvironment } from './environment.ts'

const CATALOGS_SENTENCE = `Catalogs: ${CATALOG_NAMES.join(', ')}.`

/** Loads catalogs from files, all of them or none. */
export async function importFiles(words: readonly string[]): Promise<void> {
  const sources = await sourcesOf(words)
  const { databaseUrl } = await operatorEnvironment()
  await withCatalogs(databaseUrl, (sql) => runImport(sql, sources))
}

/** Writes a catalog to a file or to standard output. */
export async function exportTo(name: string, file: string | undefined): Promise<void> {
  const catalog = CATALOGS[catalogNamed(name)]
  const { databaseUrl } = await operatorEnvironment()
  await withCatalogs(databaseUrl, (sql) => runExport(sql, catalog, file))
}

/** Loads the shipped file into every catalog that the operator has not loaded from another file. */
export const importDefaults = (databaseUrl: string): Promise<void> =>
  withCatalogs(databaseUrl, async (sql) => {
    const { sources, skipped } = await shippedSources(sql)
    for (const { name, by } of skipped) console.log(`${name}: not changed, because ${by}`)
    await runImport(sql, sources)
  })

/** One connection holds the lock of the import, the other imports. */
const withCatalogs = (databaseUrl: string, work: (sql: Pool) => Promise<void>): Promise<void> =>
  withDatabase({ databaseUrl, searchPath: 'catalog', max: 2 }, work)

async function runImport(sql: Pool, sources: readonly Source[]): Promise<void> {
  const progress = importProgress(process.stderr.isTTY === true)
  const sourcesWithProgress = sources.map((source) => ({
    ...source,
    open: () => {
      const stream = source.open()
      progress.begin(source.catalog.name, stream as ReadStream)
      return stream
    },
  }))
  const { problems, changes } = await importCatalogs(
    { sql, clock: Date.now, onRecord: progress.record },
    sourcesWithProgress,
  )
    .catch((error) => {
      throw error instanceof ImportRunning || error instanceof EntriesBusy ? new CommandError(error.message) : error
    })
    .finally(progress.end)
  if (problems.count > 0) {
    const lines = problems.listed.map(({ catalog, line, reason }) =>
      line === undefined ? `${catalog}: ${reason}` : `${catalog}, line ${line}: ${reason}`,
    )
    const rest = problems.count - lines.length
    const more = rest > 0 ? [`… and ${rest} more`] : []
    throw new CommandError(
      [...lines, ...more, `${countOf(problems.count, 'problem')}; nothing was changed.`].join('\n'),
    )
  }
  for (const { catalog } of sources) {
    const change = changes.find((change) => change.catalog === catalog.name)
    if (!change) console.log(`${catalog.name}: nothing to change`)
    else {
      const { added, changed, removed } = change.comparison
      const entries = countOf(change.entries, 'entry', 'entries')
      console.log(`${catalog.name}: ${entries}; ${added} added, ${changed} changed, ${removed} removed`)
    }
  }
}

/** A file that is read from standard input, as in a container, into which no file can be copied. */
const STANDARD_INPUT = '-'

async function sourcesOf(args: readonly string[]): Promise<Source[]> {
  if (args.length === 0 || args.length % 2 !== 0) {
    throw new CommandError(`Name each catalog with its file, or only --defaults. ${CATALOGS_SENTENCE}`)
  }
  if (args.filter((arg) => arg === STANDARD_INPUT).length > 1)
    throw new CommandError('Standard input has the file of one catalog.')
  const sources: Source[] = []
  for (let at = 0; at < args.length; at += 2) {
    const name = catalogNamed(args[at])
    const file = args[at + 1] ?? ''
    const path = pathOf(file)
    if (sources.some(({ catalog }) => catalog.name === name))
      throw new CommandError(`The catalog ${name} is named more than once.`)
    if (file === STANDARD_INPUT) {
      sources.push({ catalog: CATALOGS[name], open: () => process.stdin, shipped: false })
      continue
    }
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile()) throw new CommandError(`The file ${path} does not exist.`)
    // A catalog loaded from the shipped file follows later versions of that file.
    sources.push({ catalog: CATALOGS[name], open: () => createReadStream(path), shipped: path === shippedFile(name) })
  }
  return sources
}

async function runExport(sql: Pool, catalog: Source['catalog'], file: string | undefined): Promise<void> {
  if (file === undefined) {
    await exportCatalog(sql, catalog, (text) => new Promise((done) => process.stdout.write(text, () => done())))
    return
  }
  // Renamed when it is complete, so that an interrupted export leaves no partial file of that name.
  const path = pathOf(file)
  const unfinished = `${path}.unfinished`
  try {
    const handle = await open(unfinished, 'w')
    const records = await exportCatalog(sql, catalog, (text) => handle.writeFile(text)).finally(() => handle.close())
    await rename(unfinished, path)
    console.log(`${catalog.name}: ${countOf(records, 'record')} in ${path}`)
  } finally {
    await rm(unfinished, { force: true })
  }
}

function catalogNamed(text: string | undefined): CatalogName {
  const name = CATALOG_NAMES.find((name) => name === text)
  if (!name) throw new CommandError(`There is no catalog ${text}. ${CATALOGS_SENTENCE}`)
  return name
}

const countOf = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`

/** Resolves a path in the folder of the caller; the launcher changes to the checkout. */
const pathOf = (text: string) => resolve(process.env.INVOKED_FROM ?? '', text)
