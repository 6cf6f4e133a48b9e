import { chmod, lstat, mkdir, readdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Linux keeps files in memory for everybody; other systems have no such place. */
const SHARED_MEMORY = '/dev/shm'
const NAME = 'marketplace-test'

const GIB = 1024 ** 3

/**
 * A folder in memory for the database of one test run, or undefined where there is none with that much room. On a disk,
 * making the thousand files of a database costs the kernel half a second, and each test file asks for one.
 */
export async function folderInMemory(
  stateFolder: string,
  neededGib: number,
  place = SHARED_MEMORY,
): Promise<string | undefined> {
  if ((await roomIn(place)) < neededGib * GIB) return undefined
  const folder = join(place, `${prefixOf(stateFolder)}${process.pid}`)
  // Anybody can make a folder of that name there: one that exists is not taken for ours.
  const made = await mkdir(folder, { mode: 0o711 }).then(
    () => true,
    () => false,
  )
  if (!made) return undefined
  await chmod(folder, 0o711)
  return folder
}

/** Folders of test runs of this checkout, living or dead, each with the number of the process that will remove it. */
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

/** Two checkouts never meet. */
const prefixOf = (stateFolder: string) =>
  `${NAME}-${new Bun.CryptoHasher('sha256').update(stateFolder).digest('hex').slice(0, 12)}-`

/** What a place in memory can still take: its own limit, the machine's, and the container's. */
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
