import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { startCluster } from '../../toolchain/cluster.ts'
import { findState } from '../../toolchain/state.ts'
import { backUp, giveToPostgres } from '../rehearse/server.ts'
import type { Context } from './context.ts'
import type { Database } from './database.ts'

/** A standby of the benchmark's server, made of a backup and removed at the end of the run. */
export async function startStandby(
  { database, onStop, progress }: Context,
  applicationName = 'standby',
): Promise<{ standby: Database; stop: () => Promise<void> }> {
  progress('Copying the data folder for a standby')
  const state = await findState()
  const data = join(database.folder, 'standby')
  await rm(data, { recursive: true, force: true })
  onStop(() => rm(data, { recursive: true, force: true }))
  await backUp(database.ownerUrl, join(database.folder, 'postgres'), data)
  await Bun.write(join(data, 'standby.signal'), '')
  await giveToPostgres(data)
  await chmod(data, 0o700)
  const { hostname, port, username, password } = new URL(database.ownerUrl)
  const cluster = await startCluster({
    ...{ state, data, progress, password },
    logFile: join(database.folder, 'standby.log'),
    settings: {
      shared_buffers: '512MB',
      max_connections: '200',
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${applicationName}`,
    },
  })
  onStop(cluster.stop)
  return { standby: { ...database, ownerUrl: cluster.urlOf(database.name) }, stop: cluster.stop }
}

const SYNCHRONOUS = 'synchronous'

/** A standby on whose disk a commit must be. Returns a function that stops it. */
export async function startSynchronousStandby(context: Context): Promise<() => Promise<void>> {
  const { ownerUrl } = context.database
  const { stop } = await startStandby(context, SYNCHRONOUS)
  const set = (names: string) =>
    asOwner(ownerUrl, async (owner) => {
      await owner.unsafe(`alter system set synchronous_standby_names = '${names}'`)
      await owner`select pg_reload_conf()`
    })
  const end = async () => {
    await set('')
    await stop()
  }
  context.onStop(end)
  await set(SYNCHRONOUS)
  return end
}
