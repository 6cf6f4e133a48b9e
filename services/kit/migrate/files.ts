import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'

export interface Migration {
  /** Name in the migration table of the schema: `kit/0001_events.sql` or `0001_users.sql`. */
  name: string
  path: string
}

const SERVICES_FOLDER = join(import.meta.dir, '..', '..')

/** The migrations of one schema in the order they run: the kit's tables first, then the service's own. */
export async function migrationsOf(service: ServiceName): Promise<Migration[]> {
  const kit = await sqlFiles(join(SERVICES_FOLDER, 'kit', 'migrations'))
  const own = await sqlFiles(join(SERVICES_FOLDER, service, 'migrations'))
  return [
    ...kit.map(({ file, path }) => ({ name: `kit/${file}`, path })),
    ...own.map(({ file, path }) => ({ name: file, path })),
  ]
}

async function sqlFiles(folder: string) {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ file, path: join(folder, file) }))
}
