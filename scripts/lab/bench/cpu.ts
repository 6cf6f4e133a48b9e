import { readdir, readFile } from 'node:fs/promises'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { answersPerSecond } from './http.ts'

const CONNECTIONS = 16
/** Of Linux, for all architectures. */
const TICKS_PER_SECOND = 100
const SECONDS = 3

/** The process that a server of Postgres started first, the parent of all its sessions. */
export const postmasterOf = (ownerUrl: string): Promise<number> =>
  asOwner(ownerUrl, async (owner) => {
    const [row] = await owner<{ pid: number }[]>`select pg_backend_pid() as pid`
    return (await statOf(row?.pid ?? 0)).parent
  })

/** The CPU time of a process and its parent. The name of a program may contain spaces. */
async function statOf(pid: number): Promise<{ parent: number; seconds: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND }
}

async function cpuOfAll(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(statOf))
  return stats.reduce((sum, { seconds }) => sum + seconds, 0)
}

async function cpuOfChildren(parent: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  // A process may end meanwhile.
  const stats = await Promise.all(pids.map((pid) => statOf(pid).catch(() => ({ parent: 0, seconds: 0 }))))
  return stats.filter((stat) => stat.parent === parent).reduce((sum, { seconds }) => sum + seconds, 0)
}

interface Load {
  /** The port and the process of the service. */
  service: { port: number; pid: number }
  /** The request, sent again and again. */
  request: Uint8Array
  postmasters: readonly number[]
}

/** CPU time in seconds during some work: of a process, and of the sessions of each server of Postgres. */
export async function cpuDuring<T>(pid: number, postmasters: readonly number[], work: () => Promise<T>) {
  const measure = () => Promise.all([cpuOfAll([pid]), ...postmasters.map(cpuOfChildren)])
  const before = await measure()
  const result = await work()
  const after = await measure()
  return { result, cpu: after.map((seconds, at) => seconds - (before[at] ?? 0)) }
}

/** CPU time of one request, in microseconds: of the service, and of each server of Postgres. */
export async function cpuOfRequest({ service, request, postmasters }: Load): Promise<number[]> {
  const clients = Array.from({ length: CONNECTIONS }, () => ({ next: () => request }))
  const { result: answers, cpu } = await cpuDuring(service.pid, postmasters, async () => {
    const startedMs = performance.now()
    const rate = await answersPerSecond(service.port, SECONDS, clients)
    return (rate * (performance.now() - startedMs)) / 1000
  })
  return cpu.map((seconds) => (seconds / answers) * 1e6)
}
