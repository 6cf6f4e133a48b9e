import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stopOrphan } from './cluster.ts'
import { foldersInMemory } from './memory.ts'
import { commandOf, end, isAlive, type ProcessRecord, send } from './processes.ts'

/** The names inside a state folder that more than one program must know. */
export const DATABASE_FOLDER = 'postgres'
export const SERVICES_RECORD = 'services.json'
export const TEST_FOLDER_PREFIX = 'test-'

/** The data folder inside the folder of a test run. */
export const TEST_DATA = 'data'

/** The folder of one test run: it bears the number of the process that will remove it. */
export const testFolder = (folder: string) => join(folder, `${TEST_FOLDER_PREFIX}${process.pid}`)

/**
 * Stops what a start that was killed could not stop itself: the services first, as they write to the database.
 * Only for whoever holds the launcher's lock.
 */
export async function stopLeftBehind(folder: string): Promise<void> {
  const file = Bun.file(join(folder, SERVICES_RECORD))
  if (await file.exists()) {
    const record: ProcessRecord | undefined = await file.json().catch(() => undefined)
    if (record) await stopServices(record)
    await rm(join(folder, SERVICES_RECORD), { force: true })
  }
  await stopOrphan(join(folder, DATABASE_FOLDER))
  await removeDeadTestRuns(folder)
}

/** The services lead a group of their own; what they started goes with them. */
export async function stopServices(record: ProcessRecord): Promise<void> {
  // Longer than the services take to finish what is in flight.
  await end(record.pid, () => isAlive(record), [{ signal: 'SIGTERM', timeoutMs: 30_000 }])
  if (!(await isAlive(record))) return
  send(-record.pid, 'SIGKILL')
  await end(record.pid, () => isAlive(record), [{ signal: 'SIGKILL', timeoutMs: 5_000 }])
}

/** Databases of test runs that were killed before they could remove them. */
export async function removeDeadTestRuns(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEST_FOLDER_PREFIX))
  const onDisk = names.map((name) => ({
    folder: join(folder, name),
    pid: Number(name.slice(TEST_FOLDER_PREFIX.length)),
  }))
  for (const { folder: run, pid } of [...onDisk, ...(await foldersInMemory(folder))]) {
    if (!Number.isSafeInteger(pid) || (await commandOf(pid))?.includes('scripts/test.ts')) continue
    await stopOrphan(join(run, TEST_DATA))
    await rm(run, { recursive: true, force: true })
  }
}
