import { timeAt } from '../../../proto/durations.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import { VERSION } from '../../kit/config/version.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import type { Catalog, CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { Problems } from './problems.ts'
import {
  type CatalogVersion,
  type Comparison,
  compareVersions,
  countEntries,
  deleteUnpublishedBatch,
  isReferenceViewPresent,
  listCurrentVersions,
  listReferencedKeys,
  listRemovedKeys,
  lockEntries,
  newVersion,
  publishVersion,
  tryLockImports,
  unlockImports,
} from './queries.ts'
import { checkReferences } from './references.ts'
import { type Source, stageFile } from './stage.ts'

const DELETED_PER_STATEMENT = 5000
/** Lock time-out of one attempt, which bounds the wait of transactions queued behind the import. */
const MAX_LOCK_WAIT_MS = 2000
const MAX_LOCK_TRIES = 15

interface ImportOptions {
  /** The owner's pool with at least two connections and no transaction pooler, because imports hold a session lock. */
  sql: Pool
  clock: () => number
  onRecord?: (catalog: CatalogName) => void
}

/** The result of an import: refused, or the catalogs that changed. */
export interface ImportOutcome {
  problems: Problems
  changes: { catalog: CatalogName; entries: number; comparison: Comparison }[]
}

interface Change {
  catalog: Catalog
  next: CatalogVersion
  comparison: Comparison
  /** Keys of the published version that the next one lacks. */
  removed: string[]
}

/**
 * Imports files into catalogs, all or none. The files are loaded into an unpublished version in small transactions. A
 * short transaction then publishes the version and emits the event. Importing the same files again changes nothing.
 */
export async function importCatalogs(options: ImportOptions, sources: readonly Source[]): Promise<ImportOutcome> {
  const session = await options.sql.reserve()
  try {
    if (!(await tryLockImports(session))) throw new ImportRunning()
    try {
      await deleteUnpublished(options.sql)
      const outcome = await importLocked(options, sources)
      await deleteUnpublished(options.sql)
      return outcome
    } finally {
      // A lock whose connection is lost has ended with it.
      await unlockImports(session).catch(() => {})
    }
  } finally {
    session.release()
  }
}

/** Concurrent imports would delete each other's unpublished versions. */
export class ImportRunning extends Error {
  constructor() {
    super('Another import is running; try again when it has finished.')
    this.name = 'ImportRunning'
  }
}

/** The import could not lock the entries in time. */
export class EntriesBusy extends Error {
  constructor() {
    super(
      'The entries could not be locked, because records that refer to them are written continuously. Nothing was changed; try again.',
    )
    this.name = 'EntriesBusy'
  }
}

async function importLocked(options: ImportOptions, sources: readonly Source[]): Promise<ImportOutcome> {
  const { sql, onRecord } = options
  const problems = new Problems()
  const published = new Map((await listCurrentVersions(sql)).map((current) => [current.name as CatalogName, current]))
  const version = await newVersion(sql)
  const staged: { catalog: Catalog; next: CatalogVersion }[] = []
  for (const source of sources) {
    const { name } = source.catalog
    const entries = await stageFile(sql, source, version, problems, () => onRecord?.(name))
    const next = { name, version, entries, product_version: source.shipped ? VERSION : null }
    staged.push({ catalog: source.catalog, next })
  }
  const versions = new Map([...published].map(([name, current]) => [name, current.version]))
  for (const { catalog } of staged) versions.set(catalog.name, version)
  if (problems.count === 0) {
    await checkReferences(sql, { versions, staged: new Set(staged.map(({ catalog }) => catalog.name)) }, problems)
  }
  if (problems.count > 0) return { problems, changes: [] }

  const changes: Change[] = []
  for (const { catalog, next } of staged) {
    const before = published.get(catalog.name)?.version ?? '0'
    const comparison = await compareVersions(sql, catalog, before, version)
    if (comparison.added + comparison.changed + comparison.removed === 0) continue
    const removed = comparison.removed > 0 ? await listRemovedKeys(sql, catalog, before, version) : []
    changes.push({ catalog, next, comparison, removed: removed.map(({ key }) => key) })
  }
  if (changes.length > 0) await publish(options, changes, problems)
  return {
    problems,
    changes:
      problems.count > 0
        ? []
        : changes.map(({ next, comparison }) => ({
            catalog: next.name as CatalogName,
            entries: next.entries,
            comparison,
          })),
  }
}

/** Publishes the new versions unless a record refers to an entry that they lack. */
async function publish(
  options: ImportOptions,
  changes: readonly Change[],
  problems: Problems,
  tries = 1,
): Promise<void> {
  const now = timeAt(options.clock())
  try {
    await options.sql.begin('isolation level read committed', async (tx) => {
      // The kit's tables have unqualified names.
      await tx`set local search_path = catalog`
      await tx`select set_config('lock_timeout', ${`${MAX_LOCK_WAIT_MS}ms`}, true)`
      // All transactions that refer to entries have committed, and new ones wait for this one.
      await lockEntries(tx)
      for (const change of changes) await addReferencedKeys(tx, change, problems)
      if (problems.count > 0) return
      for (const { catalog, next } of changes) {
        // If this import lost the connection of its lock, the next import may have deleted its version.
        if ((await countEntries(tx, catalog, next.version)) !== next.entries) throw new ImportRunning()
        await publishVersion(tx, { ...next, now })
      }
      const catalogs = changes.map(({ next }) => next.name)
      await emit(tx, { type: 'catalog.reloaded', tenantId: undefined, subject: 'catalogs', data: { catalogs } })
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    if (tries >= MAX_LOCK_TRIES) throw new EntriesBusy()
    await publish(options, changes, problems, tries + 1)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

async function addReferencedKeys(tx: Tx, { catalog, removed }: Change, problems: Problems): Promise<void> {
  if (removed.length === 0) return
  if (!(await isReferenceViewPresent(tx))) {
    problems.add({
      catalog: catalog.name,
      reason: 'entries are missing, and it is unknown whether records refer to them',
    })
    return
  }
  for (const { key } of await listReferencedKeys(tx, catalog.name, removed)) {
    problems.add({ catalog: catalog.name, reason: `"${key}" is missing, but a record refers to it` })
  }
}

/** Deletes replaced versions and those of refused or killed imports. */
async function deleteUnpublished(sql: Pool): Promise<void> {
  for (const catalog of Object.values(CATALOGS)) {
    while ((await deleteUnpublishedBatch(sql, catalog, DELETED_PER_STATEMENT)) > 0);
  }
}
