import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startCluster } from '../../../toolchain/cluster.ts'
import { findState } from '../../../toolchain/state.ts'
import { backUp, giveToPostgres } from '../../rehearse/server.ts'
import { median } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { cpuOfRequest, postmasterOf } from '../cpu.ts'
import { type Database, urlOfService } from '../database.ts'
import { bytesOf } from '../http.ts'
import { signIn, startReplica } from '../services.ts'

const PATHS = { 'a page of parts': '/v1/parts', 'a search of parts': '/v1/parts?q=seal' }

/** CPU time of reads on the primary and on a replica, without and with DATABASE_READ_URL, in interleaved rounds. */
export const measureReplica: Section = async function* (context) {
  const { database, services, pace } = context
  const standby = await startStandby(context)
  const withReplica = await startReplica(context, 'sourcing', undefined, {
    DATABASE_READ_URL: urlOfService(standby, 'sourcing'),
  })
  const postmasters = [await postmasterOf(database.ownerUrl), await postmasterOf(standby.ownerUrl)]
  const { accessToken: token } = await signIn(context, 'sourcing')
  const sides = { 'without a replica': services.sourcing, 'with a replica': withReplica }
  for (const [what, path] of Object.entries(PATHS)) {
    const request = bytesOf({ path, token })
    const rounds: Record<string, number[][]> = {}
    for (let round = 0; round < pace.rounds; round++) {
      for (const [side, service] of Object.entries(sides)) {
        rounds[side] = [...(rounds[side] ?? []), await cpuOfRequest({ service, request, postmasters })]
      }
    }
    for (const [side, times] of Object.entries(rounds)) {
      for (const [at, ours] of ['sourcing', 'primary', 'replica'].entries()) {
        const result = median(times.map((each) => each[at] ?? Number.NaN))
        yield { what: `CPU of ${what}, ${side}`, ours, reference: '', result, unit: 'µs' }
      }
    }
  }
}

/** A standby of the benchmark's server, made of a backup and removed at the end of the run. */
async function startStandby({ database, onStop, progress }: Context): Promise<Database> {
  progress('Copying the data folder for a replica')
  const state = await findState()
  const data = join(database.folder, 'replica')
  await rm(data, { recursive: true, force: true })
  onStop(() => rm(data, { recursive: true, force: true }))
  await backUp(database.ownerUrl, join(database.folder, 'postgres'), data)
  await Bun.write(join(data, 'standby.signal'), '')
  await giveToPostgres(data)
  await chmod(data, 0o700)
  const { hostname, port, username, password } = new URL(database.ownerUrl)
  const cluster = await startCluster({
    ...{ state, data, progress, password },
    logFile: join(database.folder, 'replica.log'),
    settings: {
      shared_buffers: '512MB',
      max_connections: '200',
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    },
  })
  onStop(cluster.stop)
  return { ...database, ownerUrl: cluster.urlOf(database.name) }
}
