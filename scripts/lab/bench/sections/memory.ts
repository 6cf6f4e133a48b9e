import { readFile } from 'node:fs/promises'
import { SERVICES, type ServiceName } from '../../../../proto/services.ts'
import type { Section } from '../context.ts'
import { signIn } from '../services.ts'

const REST_SECONDS = 30

/** One request for each service; its status does not matter. */
const FIRST_REQUEST: Record<ServiceName, string> = {
  identity: '/.well-known/jwks.json',
  organization: '/v1/users',
  catalog: '/v1/unspsc-categories',
  sourcing: '/v1/parts',
  webhooks: '/v2.3/webhooks',
}

/**
 * The memory of the five services, half a minute after each answered a request. Only Linux tells shared memory apart.
 */
export const measureMemory: Section = async function* (context) {
  const { services, progress } = context
  for (const name of SERVICES) await (await signIn(context, name)).get(FIRST_REQUEST[name])
  progress(`Memory: the services rest for ${REST_SECONDS} s`)
  await Bun.sleep(REST_SECONDS * 1000)
  const sizes = await Promise.all(SERVICES.map((name) => memoryOf(services[name].pid)))
  // Pages of programs and libraries, which every process maps.
  const shared = Math.max(...sizes.map((size) => size.shared))
  const parts = SERVICES.map((name, at) => `${name} ${sizes[at]?.own.toFixed()}`)
  yield {
    what: `Memory of the five services, ${REST_SECONDS} s after a request to each`,
    ours: 'private and shared pages',
    reference: [...parts, `shared ${shared.toFixed()}`].join(', '),
    result: sizes.reduce((sum, { own }) => sum + own, shared),
    unit: 'MB',
    wanted: { atMost: 250 },
  }
}

/** The memory of a process in megabytes. */
export async function memoryOf(pid: number): Promise<{ own: number; shared: number }> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const sizeOf = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024) / 1e6
  const own = sizeOf('Private_Clean') + sizeOf('Private_Dirty')
  return { own, shared: sizeOf('Rss') - own }
}
