import type { TestMarketplace } from '../../marketplace.ts'
import { FileClient } from '../file-client.ts'
import { describeFiles } from './files.ts'
import type { ConformanceSetup } from './setup.ts'
import { describeStore } from './store.ts'
import { describeUrls } from './urls.ts'

/** The tests that every storage driver must pass. */
export async function describeConformance(
  market: TestMarketplace,
  setup: Pick<ConformanceSetup, 'driver' | 'stop' | 'start'> & { variables: Record<string, string> },
): Promise<ConformanceSetup> {
  const owner = await market.organization(['IP_OWNER'])
  const settings = {
    variables: setup.variables,
    publicUrl: market.config.PUBLIC_URL,
    encryptionKeys: market.config.ENCRYPTION_KEYS,
  }
  const suite: ConformanceSetup = {
    ...setup,
    market,
    settings,
    own: new FileClient(market, owner.administrator.client),
  }
  describeFiles(suite)
  describeUrls(suite)
  // Last, because it makes the store unavailable.
  describeStore(suite)
  return suite
}
