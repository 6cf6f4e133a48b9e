import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, type ProcessRecord, recordOf } from '../toolchain/processes.ts'
import { Refusal } from '../toolchain/refusal.ts'

interface Launcher extends ProcessRecord {
  address: string
}

/** Takes the lock of this checkout's launcher, which stops orphans of another launcher. Returns the release. */
export async function takeLock(folder: string, address: string): Promise<() => Promise<void>> {
  const path = join(folder, 'launcher.json')
  const file = Bun.file(path)
  const other: Launcher | undefined = (await file.exists()) ? await file.json().catch(() => undefined) : undefined
  if (other && (await isAlive(other))) {
    throw new Refusal(`This checkout is running already, on ${other.address} (process ${other.pid}): stop it first.`)
  }
  await rm(path, { force: true })
  const own: Launcher = { ...(await recordOf(process.pid, 'scripts/dev.ts')), address }
  // Of two simultaneous starts, one creates the file.
  await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Refusal('This checkout is being started already.') : error
  })
  return () => rm(path, { force: true })
}
