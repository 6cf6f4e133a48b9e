import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stopOrphan } from './cluster.ts'
import { foldersInMemory } from './memory.ts'
import { commandOf, type ProcessRecord } from './processes.ts'
import { stopProgram } from './programs.ts'

/** Names in the state folder that several programs use. */
export const DATABASE_FOLDER = 'postgres'
export const SERVICES_RECORD = 'services.json'
export const TEST_FOLDER_PREFIX = 'test-'

/** The data folder in the folder of a test run. */
export const TEST_DATA = 'data'

/** The folder of a test run; its name has the id of the process that removes it. */
export const testFolder = (folder: string) => join(folder, `${TEST_FOLDER_PREFIX}${process.pid}`)

/** Stops the processes of a launcher that was killed: services before their database. Requires the launcher's lock. */
export async function stopOrphans(folder: string): Promise<void> {
  const file = Bun.file(join(folder, SERVICES_RECORD))
  if (await file.exists()) {
    const record: ProcessRecord | undefined = await file.json().catch(() => undefined)
    if (record) await stopProgram(record)
    await rm(join(folder, SERVICES_RECORD), { force: true })
  }
  await stopOrphan(join(folder, DATABASE_FOLDER))
  await removeOrphanedTestRuns(folder)
}

/** Removes the databases of test runs that were killed. */
export async function removeOrphanedTestRuns(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEST_FOLDER_PREFIX))
  const onDisk = names.map((name) => ({
    folder: join(folder, name),
    pid: Number(name.slice(TEST_FOLDER_PREFIX.length)),
  }))
  for (const { folder: run, pid } of [...onDisk, ...(await foldersInMemory(folder))]) {
    if (!Number.isSafeInteger(pid) || (await commandOf(pid))?.includes('scripts/commands/test/main.ts')) continue
    await stopOrphan(join(run, TEST_DATA))
    await rm(run, { recursive: true, force: true })
  }
}
