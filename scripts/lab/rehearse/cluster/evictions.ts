import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../../../toolchain/command-error.ts'
import type { Cluster } from './cluster.ts'

const WITHIN_MS = 5 * 60_000

/**
 * Evicts every pod. The disruption budgets refuse evictions that would leave a service with too few, until others are
 * ready.
 */
export async function evictAll(cluster: Cluster, podsOf: () => Promise<string[]>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evictions-'))
  const before = await podsOf()
  const deadline = Date.now() + WITHIN_MS
  let refused = 0
  let remaining = before
  while (remaining.length > 0) {
    if (Date.now() > deadline) throw new CommandError(`not evicted: ${remaining}`)
    for (const name of remaining) if (!(await evict(cluster, name, folder))) refused += 1
    await Bun.sleep(1000)
    const present = await podsOf()
    remaining = before.filter((name) => present.includes(name))
  }
  await rm(folder, { recursive: true })
  if (refused === 0) throw new CommandError('the disruption budgets have refused no eviction')
  return `${before.length} pods; the disruption budgets refused ${refused} evictions until others were ready`
}

async function evict(cluster: Cluster, name: string, folder: string): Promise<boolean> {
  const file = join(folder, 'eviction.json')
  const { namespace } = cluster.given
  const metadata = { name, namespace }
  await Bun.write(file, JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata }))
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
  const { code, output } = await cluster.tryKubectl('create', '--raw', path, '--filename', file)
  if (code !== 0 && !/disruption budget/.test(output)) throw new CommandError(output)
  return code === 0
}
