import { readOptions, USAGE } from './local/options.ts'
import { start } from './local/start.ts'
import { runCommand } from './toolchain/command.ts'
import { Refusal } from './toolchain/refusal.ts'

// Ctrl-C is the normal way to stop the marketplace, so it is not a failure.
await runCommand(
  async (lifecycle) => {
    const options = readOptions(process.argv.slice(2))
    if (!options.help) throw new Refusal(await start(options, lifecycle))
    console.log(USAGE)
    return 0
  },
  { interruptedCode: 0 },
)
