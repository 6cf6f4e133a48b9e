import type { ServiceName } from '../../../../proto/services.ts'
import { median } from '../compare.ts'
import type { Section } from '../context.ts'
import { cpuOfRequest, postmasterOf } from '../cpu.ts'
import { bytesOf, type RequestText } from '../http.ts'
import { signIn } from '../services.ts'

const REQUESTS: readonly [what: string, service: ServiceName, request: RequestText][] = [
  ['an entry of a catalog', 'catalog', { path: '/v1/materials/316l' }],
  ['a page of parts', 'sourcing', { path: '/v1/parts' }],
  ['a page of users', 'organization', { path: '/v1/users' }],
  ['a new part', 'sourcing', { method: 'POST', path: '/v1/parts', body: JSON.stringify({ title: 'Shaft seal' }) }],
]

/** CPU time of one request in the service and in Postgres. It tells how many cores a load needs. */
export const measureCost: Section = async function* (context) {
  const postmasters = [await postmasterOf(context.database.ownerUrl)]
  for (const [what, service, request] of REQUESTS) {
    const { accessToken } = await signIn(context, service)
    const load = {
      service: context.services[service],
      request: bytesOf({ ...request, token: accessToken }),
      postmasters,
    }
    const rounds: number[][] = []
    for (let round = 0; round < context.pace.rounds; round++) rounds.push(await cpuOfRequest(load))
    for (const [at, ours] of [service, 'Postgres'].entries()) {
      const result = median(rounds.map((times) => times[at] ?? Number.NaN))
      yield { what: `CPU of ${what}`, ours, reference: '', result, unit: 'µs' }
    }
  }
}
