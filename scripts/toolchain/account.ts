import { CommandError } from './command-error.ts'
import { run } from './run.ts'

/** The account that runs Postgres. Postgres refuses root; any other user runs it as itself. */
export interface Account {
  name: string
  ids: { uid?: number; gid?: number }
}

/** The programs of Postgres and the account that runs them. */
export interface DatabasePrograms {
  /** The folder of initdb and postgres. */
  programs: string
  account: Account
}

/**
 * For root, an existing account of the machine; no user is added.
 * `nobody` is used if `postgres` does not exist. In both cases the mode of the data folder excludes all other users.
 */
export async function databaseAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return { name: 'you', ids: {} }
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([run(['id', '-u', name]), run(['id', '-g', name])])
    const ids = { uid: Number(uid.output), gid: Number(gid.output) }
    if (uid.code === 0 && gid.code === 0 && ids.uid > 0) return { name, ids }
  }
  throw new CommandError(
    'Postgres does not run as root and this machine has no user `postgres` or `nobody`: add one, or run as another user.',
  )
}

/**
 * Whether the account can run the program and enter the folder. Running the program tests modes, mounts and policies
 * together.
 */
export async function canUse({ ids }: Account, program: string, folder: string): Promise<boolean> {
  const child = Bun.spawn(['sh', '-c', 'cd "$1" && "$0" --version', program, folder], {
    ...ids,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: 30_000,
  })
  return (await child.exited) === 0
}
