import { rm, writeFile } from 'node:fs/promises'
import { CommandError } from './command-error.ts'
import { isAlive, type ProcessRecord, recordOf } from './processes.ts'

interface Lock {
  path: string
  /** The script of the process that holds it, such as `scripts/commands/dev/main.ts`. */
  script: string
  /** What the script runs, for the refusal. */
  title: string
  address?: string
}

/**
 * Takes a lock that one process at a time may hold; the lock of a killed process is taken over. Returns the release.
 */
export async function takeLock({ path, script, title, address }: Lock): Promise<() => Promise<void>> {
  const file = Bun.file(path)
  const other: (ProcessRecord & Pick<Lock, 'address'>) | undefined = (await file.exists())
    ? await file.json().catch(() => undefined)
    : undefined
  if (other && (await isAlive(other))) {
    const where = other.address === undefined ? '' : `, on ${other.address}`
    throw new CommandError(`${title} is running already${where} (process ${other.pid}): stop it first.`)
  }
  await rm(path, { force: true })
  const own = { ...(await recordOf(process.pid, script)), address }
  // Of two simultaneous starts, one creates the file.
  await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new CommandError(`${title} is being started already.`) : error
  })
  return () => rm(path, { force: true })
}
