import { join } from 'node:path'
import { ACCOUNTS_FILE, findState } from '../../toolchain/state.ts'
import type { LocalMarketplace } from './account.ts'
import { readAccounts } from './welcome.ts'

/** The address of the marketplace that `./scripts/dev` started last in this checkout. */
export async function localAddress(): Promise<string | undefined> {
  const { folder } = await findState()
  const launcher = Bun.file(join(folder, 'launcher.json'))
  return (await launcher.exists()) ? (await launcher.json()).address : undefined
}

export const localMarketplace: LocalMarketplace = {
  readAccounts: () => readAccounts(ACCOUNTS_FILE),
  readAddress: localAddress,
}
