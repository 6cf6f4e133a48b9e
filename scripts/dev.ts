import { readOptions, USAGE } from './local/options.ts'
import { start } from './local/start.ts'
import { explain, Refusal } from './toolchain/refusal.ts'

const stopping = new AbortController()
const { signal } = stopping
const undo: (() => Promise<void>)[] = []
let code = 0

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second one does not wait; the next start stops what is left behind.
    if (signal.aborted) process.exit(130)
    stopping.abort()
  })
}

const progress = (line: string) => console.log(line)
const fail = (error: unknown) => {
  console.error(explain(error))
  code = 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) {
    console.log(USAGE)
  } else {
    const reason = await start({ options, signal, progress, onStop: (step) => undo.push(step) })
    if (!signal.aborted) throw new Refusal(reason)
  }
} catch (error) {
  if (!signal.aborted) fail(error)
}
if (signal.aborted) progress('Stopping')
for (const step of undo.reverse()) await step().catch(fail)
process.exit(code)
