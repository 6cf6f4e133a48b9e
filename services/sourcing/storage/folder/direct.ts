import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Linux alone has it. */
const { O_DIRECT } = constants as { O_DIRECT?: number }

/**
 * A file that is there, opened once more for writes that go from our memory to the disk. Without it the system copies
 * them to memory of its own first, which costs as much as to hash them, pushes out of it what others read, and is written
 * down half as fast. Undefined where the file system has no such writes.
 */
export async function openDirect(path: string): Promise<FileHandle | undefined> {
  if (O_DIRECT === undefined) return undefined
  return open(path, constants.O_WRONLY | O_DIRECT).catch(unlessNotDirect)
}

/** How many bytes were written; undefined where a disk wants them aligned in another way than they are. */
export async function writeDirect(file: FileHandle, bytes: Uint8Array, position: number): Promise<number | undefined> {
  const result = await file.write(bytes, 0, bytes.byteLength, position).catch(unlessNotDirect)
  return result?.bytesWritten
}

/** What file systems say that have no such writes, or not of these bytes. */
const NOT_DIRECT = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'])

function unlessNotDirect(error: NodeJS.ErrnoException): undefined {
  if (NOT_DIRECT.has(error.code ?? '')) return undefined
  throw error
}
