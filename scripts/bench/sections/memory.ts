import { readFile } from 'node:fs/promises'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import type { Section } from '../context.ts'
import { signIn } from '../stage/accounts.ts'

const WANTED_MB = 400
const REST_MS = 30_000

/** One request for each service; its status does not matter. */
const FIRST_REQUEST: Record<ServiceName, string> = {
  identity: '/.well-known/jwks.json',
  organization: '/v1/users',
  catalog: '/v1/unspsc-categories',
  sourcing: '/v1/parts',
  webhooks: '/v2.3/webhooks',
}

/** The memory of the five services, half a minute after each answered a request. Only Linux tells shared memory apart. */
export const measureMemory: Section = async function* (context) {
  const { services, progress } = context
  const client = await signIn(context, 'identity')
  for (const name of SERVICES) {
    client.url = services[name].url
    await client.get(FIRST_REQUEST[name])
  }
  progress(`Memory: the services rest for ${REST_MS / 1000} s`)
  await Bun.sleep(REST_MS)
  const sizes = await Promise.all(SERVICES.map((name) => memoryOf(services[name].pid)))
  // Pages of programs and libraries, which every process maps.
  const shared = Math.max(...sizes.map((size) => size.shared))
  const total = sizes.reduce((sum, { own }) => sum + own, shared)
  const parts = SERVICES.map((name, at) => `${name} ${megabytes(sizes[at]?.own ?? 0)}`)
  yield {
    what: 'Memory of the five services, 30 s after a request to each',
    ours: 'private and shared pages',
    reference: [...parts, `shared ${megabytes(shared)}`].join(', '),
    result: `${megabytes(total)} MB`,
    wanted: `< ${WANTED_MB} MB`,
    met: total < WANTED_MB * 1e6,
  }
}

async function memoryOf(pid: number): Promise<{ own: number; shared: number }> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024
  const own = bytes('Private_Clean') + bytes('Private_Dirty')
  return { own, shared: bytes('Rss') - own }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6)
