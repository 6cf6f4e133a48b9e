import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { SERVICES } from '../../../proto/services.ts'
import { roleOf } from '../../../services/kit/db/roles.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { freePort } from '../../toolchain/ports.ts'
import { run } from '../../toolchain/run.ts'
import { findState } from '../../toolchain/state.ts'

export interface Pooler {
  /** Host and port. */
  address: string
  /** Transactions so far. */
  transactions(): Promise<number>
}

const OLDEST = [1, 21] as const
const PREPARED_STATEMENTS = 200

/** PgBouncer in transaction mode in front of a Postgres server, for the roles of the services and all databases. */
export async function startPooler(serverUrl: string, folder: string, { onStop }: Lifecycle): Promise<Pooler> {
  const program = await findProgram()
  const server = new URL(serverUrl)
  const port = freePort()
  const [settings, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'pgbouncer-users.txt')]
  const passwords = [
    [server.username, decodeURIComponent(server.password)],
    ...SERVICES.map((service) => [roleOf(service), service]),
  ]
  await writeFile(users, passwords.map(([user, password]) => `"${user}" "${password}"\n`).join(''))
  await writeFile(
    settings,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      `max_prepared_statements = ${PREPARED_STATEMENTS}`,
      'default_pool_size = 10',
      'max_client_conn = 1000',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      `admin_users = ${server.username}`,
      '',
    ].join('\n'),
  )
  const { ids } = (await findState()).account
  for (const file of [settings, users]) await chmod(file, 0o644)
  // PgBouncer refuses to run as root.
  const child = Bun.spawn([program, '--quiet', settings], {
    ...ids,
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  onStop(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  const address = `127.0.0.1:${port}`
  const transactions = async () => {
    const admin = postgres(`postgres://${server.username}:${server.password}@${address}/pgbouncer`, {
      max: 1,
      fetch_types: false,
      onnotice: () => {},
    })
    try {
      const rows = await admin.unsafe<{ xact_count: string }[]>('show stats_totals').simple()
      return rows.reduce((sum, row) => sum + Number(row.xact_count), 0)
    } finally {
      await admin.end({ timeout: 1 })
    }
  }
  for (let tries = 100; ; tries--) {
    if (child.exitCode !== null) throw new CommandError(`PgBouncer ended with exit code ${child.exitCode}.`)
    const answered = await transactions().catch((error: unknown) => {
      if (tries === 0) throw error
    })
    if (answered !== undefined) return { address, transactions }
    await Bun.sleep(50)
  }
}

async function findProgram(): Promise<string> {
  const program = process.env.PGBOUNCER || Bun.which('pgbouncer') || '/usr/sbin/pgbouncer'
  const { output } = await run([program, '--version']).catch(() => ({ output: '' }))
  const [, major = 0, minor = 0] = (/PgBouncer (\d+)\.(\d+)/.exec(output) ?? []).map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return program
  const found = output === '' ? 'none was found' : `${program} is ${major}.${minor}`
  throw new CommandError(
    `This rehearsal needs PgBouncer ${OLDEST.join('.')} or newer on the PATH or in PGBOUNCER, for its max_prepared_statements: ${found}.`,
  )
}
