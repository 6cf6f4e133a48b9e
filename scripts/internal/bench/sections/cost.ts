import { readdir, readFile } from 'node:fs/promises'
import type { ServiceName } from '../../../../proto/services.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { median } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { answersPerSecond, bytesOf, type RequestText } from '../http.ts'
import { signIn } from '../services.ts'

const CONNECTIONS = 16
/** Of Linux, for all architectures. */
const TICKS_PER_SECOND = 100
const SECONDS = 3

const REQUESTS: readonly [what: string, service: ServiceName, request: RequestText][] = [
  ['an entry of a catalog', 'catalog', { path: '/v1/materials/316l' }],
  ['a page of parts', 'sourcing', { path: '/v1/parts' }],
  ['a page of users', 'organization', { path: '/v1/users' }],
  ['a new part', 'sourcing', { method: 'POST', path: '/v1/parts', body: JSON.stringify({ title: 'Shaft seal' }) }],
]

/** CPU time of one request in the service and in Postgres. It tells how many cores a load needs. */
export const measureCost: Section = async function* (context) {
  const postmaster = await postmasterOf(context)
  for (const [what, service, request] of REQUESTS) {
    const { accessToken } = await signIn(context, service)
    const bytes = bytesOf({ ...request, token: accessToken })
    const { port, pid } = context.services[service]
    const rounds: { service: number; postgres: number }[] = []
    for (let round = 0; round < context.pace.rounds; round++) {
      const clients = Array.from({ length: CONNECTIONS }, () => ({ next: () => bytes }))
      const before = await Promise.all([cpuOf([pid]), cpuOfChildren(postmaster)])
      const startedMs = performance.now()
      const rate = await answersPerSecond(port, SECONDS, clients)
      const answers = (rate * (performance.now() - startedMs)) / 1000
      const after = await Promise.all([cpuOf([pid]), cpuOfChildren(postmaster)])
      const each = (at: 0 | 1) => ((after[at] - before[at]) / answers) * 1e6
      rounds.push({ service: each(0), postgres: each(1) })
    }
    for (const side of ['service', 'postgres'] as const) {
      yield {
        what: `CPU of ${what}`,
        ours: side === 'service' ? service : 'Postgres',
        reference: '',
        result: median(rounds.map((round) => round[side])),
        unit: 'µs',
      }
    }
  }
}

const postmasterOf = ({ database }: Context) =>
  asOwner(database.ownerUrl, async (owner) => {
    const [row] = await owner<{ pid: number }[]>`select pg_backend_pid() as pid`
    return (await statOf(row?.pid ?? 0)).parent
  })

/** The CPU time of a process and its parent. The name of a program may contain spaces. */
async function statOf(pid: number): Promise<{ parent: number; seconds: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND }
}

async function cpuOf(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(statOf))
  return stats.reduce((sum, { seconds }) => sum + seconds, 0)
}

async function cpuOfChildren(parent: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  // A process may end meanwhile.
  const stats = await Promise.all(pids.map((pid) => statOf(pid).catch(() => ({ parent: 0, seconds: 0 }))))
  return stats.filter((stat) => stat.parent === parent).reduce((sum, { seconds }) => sum + seconds, 0)
}
