import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canUse, type DatabasePrograms, databaseAccount } from './account.ts'
import { ROOT } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { stopOrphans } from './orphans.ts'
import { databasePackage } from './packages.ts'
import { run, tail } from './run.ts'

/** The state of this checkout: databases, secrets, logs. Git ignores it. */
export interface State extends DatabasePrograms {
  folder: string
}

export interface Places {
  root: string
  /** The folder of temporary files that survive a restart. */
  temporary: string
}

const HERE: Places = { root: ROOT, temporary: '/var/tmp' }

/** Always in the checkout, where scripts and users expect it. Readable only by its owner. */
export const ACCOUNTS_FILE = join(ROOT, '.dev', 'accounts.json')

/**
 * `.dev` in the checkout. For root in a checkout that the account of Postgres cannot reach:
 * a folder named after the checkout among the temporary files that survive a restart.
 */
export async function findState({ root, temporary }: Places = HERE): Promise<State> {
  const local = join(root, '.dev')
  const account = await databaseAccount()
  const programs = join(databasePackage(), 'native', 'bin')
  await mkdir(local, { recursive: true })
  // The account of Postgres must pass through, but cannot list the folder; each file has a closed mode.
  await chmod(local, account.ids.uid === undefined ? 0o700 : 0o711)
  if (account.ids.uid === undefined) return { folder: local, programs, account }
  if (await canUse(account, join(programs, 'initdb'), local)) return { folder: local, programs, account }
  const folder = await privateFolder(folderElsewhere({ root, temporary }))
  await emptyForNewCheckout(folder, join(local, 'id'))
  const copied = join(await copyPrograms(folder), 'bin')
  if (await canUse(account, join(copied, 'initdb'), folder)) return { folder, programs: copied, account }
  throw new CommandError(
    `The user ${account.name}, whom Postgres must run as, can use neither ${root} nor ${folder}: move the checkout, or run as another user.`,
  )
}

/** The name derives from the path of the checkout. */
export function folderElsewhere({ root, temporary }: Places): string {
  return join(temporary, `marketplace-${new Bun.CryptoHasher('sha256').update(root).digest('hex').slice(0, 12)}`)
}

async function privateFolder(folder: string): Promise<string> {
  await mkdir(folder, { mode: 0o700 }).catch(() => {})
  // Another user could have created a folder of that name, and would own the database.
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new CommandError(
      `${folder} exists and belongs to another user, or can be changed by others: remove it, then run ${process.env.INVOKED_AS ?? 'this'} again.`,
    )
  }
  await chmod(folder, 0o711)
  return folder
}

/** Empties the folder of an earlier checkout at the same path. */
async function emptyForNewCheckout(folder: string, idFile: string): Promise<void> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const id = (await read(idFile)) || crypto.randomUUID()
  await writeFile(idFile, id, { mode: 0o600 })
  if ((await read(join(folder, 'id'))) === id) return
  await stopOrphans(folder)
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  await writeFile(join(folder, 'id'), id, { mode: 0o600 })
}

/** Copies the Postgres programs to a folder that their account can read, one for each version. */
async function copyPrograms(folder: string): Promise<string> {
  const source = databasePackage()
  const { version } = await Bun.file(join(source, 'package.json')).json()
  const target = join(folder, `postgres-${version}`)
  if (await Bun.file(join(target, 'bin', 'initdb')).exists()) return target
  const staging = `${target}.${process.pid}`
  for (const command of [
    ['cp', '-R', join(source, 'native'), staging],
    ['chmod', '-R', 'a+rX,go-w', staging],
  ]) {
    const { code, output } = await run(command)
    if (code !== 0)
      throw new CommandError(sentenceFor(output) ?? `Postgres could not be copied to ${folder}:\n${tail(output)}`)
  }
  await rm(target, { recursive: true, force: true })
  await rename(staging, target)
  return target
}
