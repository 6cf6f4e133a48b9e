import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { commandLine } from '../../toolchain/command-line.ts'
import { takeLock } from '../../toolchain/lock.ts'
import { installPackages } from '../../toolchain/packages.ts'
import { findState } from '../../toolchain/state.ts'
import { passableFolder } from './programs.ts'
import { type Driver, type Result, runChaos } from './run.ts'

const MIN_ENDPOINTS = 3
const MAX_LOST_SHOWN = 20

const atLeast = (least: number) => (text: string) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least) throw new InvalidArgumentError(`It must be at least ${least}.`)
  return number
}

const program = commandLine(
  'bun run chaos',
  'Sends events to webhook endpoints while SIGKILL ends the webhooks service, the relay, nats-server, Postgres and the receiver in turn, and compares what arrived with what was sent.',
)
  .addOption(new Option('--events <number>', 'events of each organization').default(20_000).argParser(atLeast(100)))
  .addOption(
    new Option('--endpoints <number>', 'webhook endpoints, at most 20 for an organization')
      .default(50)
      .argParser(atLeast(MIN_ENDPOINTS)),
  )
  .addOption(
    new Option('--driver <driver>', 'driver of the event bus; default: one after the other').choices([
      'nats',
      'postgres',
    ]),
  )
  .parse()

process.env.INVOKED_AS ??= 'bun run chaos'
async function chaos(lifecycle: Lifecycle): Promise<number> {
  const { events, endpoints, driver } = program.opts<{ events: number; endpoints: number; driver?: Driver }>()
  await installPackages(lifecycle.progress)
  const state = await findState()
  const folder = join(state.folder, 'chaos')
  lifecycle.onStop(
    await takeLock({
      path: join(state.folder, 'chaos.json'),
      script: 'scripts/lab/chaos/main.ts',
      title: 'A chaos run',
    }),
  )
  await passableFolder(folder)
  const results: Result[] = []
  for (const one of driver ? [driver] : (['nats', 'postgres'] as const)) {
    const steps: (() => Promise<void>)[] = []
    const stop = async () => {
      for (let step = steps.pop(); step; step = steps.pop()) await step()
    }
    lifecycle.onStop(stop)
    const run = { ...lifecycle, folder, onStop: (step: () => Promise<void>) => void steps.push(step) }
    results.push(await runChaos({ events, endpoints, driver: one }, state, run))
    await stop()
  }
  console.log(Bun.inspect.table(results.map(rowOf)))
  for (const { lost } of results) for (const one of lost.slice(0, MAX_LOST_SHOWN)) console.log(`lost: ${one}`)
  if (results.every(isGood)) await rm(folder, { recursive: true })
  return results.every(isGood) ? 0 : 1
}

const rowOf = ({ driver, sent, received, doubled, doubledAtMost, lost, claimed, late, killed, seconds }: Result) => ({
  driver,
  sent,
  received,
  doubled: `${doubled} (at most ${doubledAtMost})`,
  lost: lost.length,
  'claimed before a pause or deletion': claimed,
  'sent after it': late,
  killed: Object.entries(killed)
    .map(([name, count]) => `${name} ${count}`)
    .join(', '),
  seconds,
})

const isGood = ({ lost, late, doubled, doubledAtMost }: Result) =>
  lost.length === 0 && late === 0 && doubled <= doubledAtMost

await runCommand(chaos, { progress: console.error })
