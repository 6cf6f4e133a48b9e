import { chmod, lstat, mkdir, readdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** The memory file system of Linux; other systems have none. */
const SHARED_MEMORY = '/dev/shm'
const NAME = 'marketplace-test'

const GIB = 1024 ** 3

/**
 * A folder in memory for the database of one test run, or undefined without enough room. On a disk,
 * the thousand files of a database take half a second, and each test file creates a database.
 */
export async function folderInMemory(
  stateFolder: string,
  neededGib: number,
  place = SHARED_MEMORY,
): Promise<string | undefined> {
  if ((await roomIn(place)) < neededGib * GIB) return undefined
  const folder = join(place, `${prefixOf(stateFolder)}${process.pid}`)
  // Any user can create a folder of that name, so an existing one is not used.
  const isCreated = await mkdir(folder, { mode: 0o711 }).then(
    () => true,
    () => false,
  )
  if (!isCreated) return undefined
  await chmod(folder, 0o711)
  return folder
}

/** Folders of test runs of this checkout, each with the id of the process that removes it. */
export async function foldersInMemory(
  stateFolder: string,
  place = SHARED_MEMORY,
): Promise<{ folder: string; pid: number }[]> {
  const prefix = prefixOf(stateFolder)
  const found: { folder: string; pid: number }[] = []
  for (const name of await readdir(place).catch(() => [])) {
    const folder = join(place, name)
    if (!name.startsWith(prefix) || (await lstat(folder).catch(() => undefined))?.uid !== process.getuid?.()) continue
    found.push({ folder, pid: Number(name.slice(prefix.length)) })
  }
  return found
}

/** Each checkout has its own prefix. */
const prefixOf = (stateFolder: string) =>
  `${NAME}-${new Bun.CryptoHasher('sha256').update(stateFolder).digest('hex').slice(0, 12)}-`

/** The free memory: the minimum over the file system, the machine and the container. */
async function roomIn(place: string): Promise<number> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const [{ bavail, bsize }, machine, limit, used] = await Promise.all([
    statfs(place).catch(() => ({ bavail: 0, bsize: 0 })),
    read('/proc/meminfo'),
    read('/sys/fs/cgroup/memory.max'),
    read('/sys/fs/cgroup/memory.current'),
  ])
  const available = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(machine)?.[1] ?? 0) * 1024
  const allowed = /^\d+$/.test(limit.trim()) ? Number(limit) - Number(used) : Number.POSITIVE_INFINITY
  return Math.min(bavail * bsize, available, allowed)
}
