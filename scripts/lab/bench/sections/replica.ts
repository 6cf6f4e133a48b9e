import { median } from '../compare.ts'
import type { Section } from '../context.ts'
import { cpuOfRequest, postmasterOf } from '../cpu.ts'
import { urlOfService } from '../database.ts'
import { bytesOf } from '../http.ts'
import { signIn, startReplica } from '../services.ts'
import { startStandby } from '../standby.ts'

const PATHS = { 'a page of parts': '/v1/parts', 'a search of parts': '/v1/parts?q=seal' }

/** CPU time of reads on the primary and on a replica, without and with DATABASE_READ_URL, in interleaved rounds. */
export const measureReplica: Section = async function* (context) {
  const { database, services, pace } = context
  const { standby } = await startStandby(context)
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
