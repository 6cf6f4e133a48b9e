import { readFile } from 'node:fs/promises'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import type { Bench } from '../bench.ts'
import type { Figure } from '../figures.ts'
import { signIn } from '../stage/people.ts'

const WANTED_MB = 400
const REST_MS = 30_000

/** What each service is asked once; whether the caller may have it does not matter. */
const FIRST_REQUEST: Record<ServiceName, string> = {
  identity: '/.well-known/jwks.json',
  organization: '/v1/users',
  catalog: '/v1/unspsc-categories',
  sourcing: '/v1/parts',
  webhooks: '/v2.3/webhooks',
}

export const MEMORY_UNKNOWN = 'Memory is measured on Linux alone: only there the system says what a process shares.'

/** What the five services hold together, half a minute after each answered a request. */
export async function measureMemory({ services, account, progress }: Bench): Promise<Figure[]> {
  const { accessToken } = await signIn(services.identity.url, account)
  for (const service of SERVICES) {
    await fetch(`${services[service].url}${FIRST_REQUEST[service]}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    }).then((answer) => answer.text())
  }
  progress(`Memory: the services rest for ${REST_MS / 1000} s`)
  await Bun.sleep(REST_MS)
  const sizes = await Promise.all(SERVICES.map((service) => memoryOf(services[service].pid)))
  // Whatever else runs on this machine may map Bun as well, and would take a part of it off the sum.
  const shared = Math.max(...sizes.map((size) => size.shared))
  const total = sizes.reduce((sum, { own }) => sum + own, shared)
  return [
    {
      what: 'Memory of the five services, 30 s after a request to each',
      ours: `${megabytes(total)} MB (PSS)`,
      reference: [
        ...SERVICES.map((name, at) => `${name} ${megabytes(sizes[at]?.own ?? 0)}`),
        `shared ${megabytes(shared)}`,
      ].join(', '),
      result: '',
      wanted: `< ${WANTED_MB} MB`,
      met: total < WANTED_MB * 1e6,
    },
  ]
}

/** A process's own memory, and what it shares with the others: programs and libraries. */
async function memoryOf(pid: number): Promise<{ own: number; shared: number }> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024
  const own = bytes('Private_Clean') + bytes('Private_Dirty')
  return { own, shared: bytes('Rss') - own }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6)
