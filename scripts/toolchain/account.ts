import { Refusal } from './refusal.ts'
import { run } from './run.ts'

/** Whom Postgres runs as. Postgres refuses root; everybody else runs it as themselves. */
export interface Account {
  name: string
  ids: { uid?: number; gid?: number }
}

/** What Postgres is run with. */
export interface DatabasePrograms {
  /** The folder of initdb and postgres. */
  programs: string
  account: Account
}

/**
 * For root, an account that the machine has already: nothing is added to its users.
 * `nobody` serves where there is no `postgres`; the data folder is closed to everybody else either way.
 */
export async function databaseAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return { name: 'you', ids: {} }
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([run(['id', '-u', name]), run(['id', '-g', name])])
    const ids = { uid: Number(uid.output), gid: Number(gid.output) }
    if (uid.code === 0 && gid.code === 0 && ids.uid > 0) return { name, ids }
  }
  throw new Refusal(
    'Postgres does not run as root and this machine has no user `postgres` or `nobody`: add one, or run as another user.',
  )
}

/** Whether the account can run the program and enter the folder. Asked by trying: modes, mounts and policies all count. */
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
