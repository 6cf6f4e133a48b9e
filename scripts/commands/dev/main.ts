import { runCommand } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { ACCOUNTS_FILE } from '../../toolchain/state.ts'
import { DEFAULT_URL, localAddress } from './account.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { start } from './start.ts'
import { accountsTable, guideVariables, readAccounts } from './welcome.ts'

// Ctrl-C is the normal way to stop the marketplace, so it is not a failure.
await runCommand(
  async (lifecycle) => {
    const options = readOptions(process.argv.slice(2))
    if (options.help) console.log(USAGE)
    else if (options.accounts) console.log(await accountsText(options))
    else throw new CommandError(await start(options, lifecycle))
    return 0
  },
  { interruptedCode: 0 },
)

async function accountsText({ env }: Options): Promise<string> {
  const file = await readAccounts(ACCOUNTS_FILE)
  return env ? guideVariables((await localAddress()) ?? DEFAULT_URL, file) : accountsTable(file)
}
