import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const SERVICES = ['organization', 'identity', 'catalog', 'sourcing', 'webhooks'] as const
export type ServiceName = (typeof SERVICES)[number]

/** The Postgres role a service signs in as. */
export const roleOf = (service: ServiceName) => `marketplace_${service}`

export interface Migration {
  /** `kit/0001_events.sql` or `0001_users.sql`: what the ledger of the schema keeps. */
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
