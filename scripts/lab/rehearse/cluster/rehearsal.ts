import type { Lifecycle } from '../../../toolchain/command.ts'
import { explain } from '../../../toolchain/command-error.ts'
import { Cluster } from './cluster.ts'
import { NOTHING, since } from './counts.ts'
import { type Answer, LoadPod } from './load-pod.ts'
import { FIRST, restartsOf, type Step, UNDER_LOAD, uninstall } from './scenario.ts'

const OPERATOR = 'ada.berg@example.com'
const PERSON = ['--email', OPERATOR, '--given-name', 'Ada', '--family-name', 'Berg']

/**
 * Plays the life of an installation on the cluster of kubectl, under load. The exit code is 1 if a step fails, a
 * request ends otherwise than documented, or an acknowledged write is missing at the end.
 */
export async function rehearseCluster(lifecycle: Lifecycle): Promise<number> {
  const { progress } = lifecycle
  const cluster = await Cluster.find(lifecycle)
  const before = await cluster.objects()
  let isGood = true
  let load: LoadPod | undefined
  let counts = NOTHING

  const play = async (name: string, work: () => Promise<string | undefined>) => {
    const began = Date.now()
    const outcome = await work().catch((error) => {
      lifecycle.signal.throwIfAborted()
      isGood = false
      return `FAILED: ${explain(error)}`
    })
    progress(`${name} (${Math.round((Date.now() - began) / 1000)} s)${outcome ? `: ${outcome}` : ''}`)
    const answer = await load?.call<Answer>('counts')
    if (!answer) return
    const { sent, succeeded, unavailable, acknowledged, failed } = since(answer.counts, counts)
    counts = answer.counts
    if (failed > 0) isGood = false
    const slowest = `slowest ${Math.round(answer.longestMs)} ms`
    progress(
      `    ${sent} requests: ${succeeded} 2xx, ${unavailable} 503, ${failed} failed; ${acknowledged} writes; ${slowest}`,
    )
    for (const failure of answer.failures) progress(`    ${failure}`)
  }
  const playAll = async (steps: readonly Step[]) => {
    for (const [name, work] of steps) await play(name, () => work(cluster))
  }

  await playAll(FIRST)
  if (!isGood) return 1
  const output = await cluster.operate(
    'operator',
    'bootstrap',
    ...PERSON,
    '--organization',
    'Operator',
    '--region',
    'NO',
  )
  load = await LoadPod.create(cluster, OPERATOR, lifecycle)
  await load.call('start', /\/activate#(\S+)/.exec(output)?.[1])
  await play('half a minute without a change', async () => void (await Bun.sleep(30_000)))
  await playAll(UNDER_LOAD)
  await load.call('stop')
  const missing = await load.call<string[]>('missing')
  const { counts: all } = await load.call<Answer>('counts')
  progress(`In all ${JSON.stringify(all)}; ${await restartsOf(cluster)}`)
  progress(`${missing.length} of ${all.acknowledged} acknowledged writes are missing ${missing.slice(0, 5)}`)
  if (missing.length > 0) isGood = false
  await load.remove()
  load = undefined
  await play('uninstall', () => uninstall(cluster, before))
  return isGood ? 0 : 1
}
