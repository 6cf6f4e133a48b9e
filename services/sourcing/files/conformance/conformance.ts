import { Uploading } from '../../../testing/files/uploading.ts'
import type { TestMarketplace } from '../../../testing/marketplace.ts'
import { describeAddresses } from './addresses.ts'
import { describeFiles } from './files.ts'
import type { Rig } from './rig.ts'
import { describeStore } from './store.ts'

/** What every store has to keep, whoever's it is. */
export async function describeConformance(
  market: TestMarketplace,
  rig: Pick<Rig, 'driver' | 'stop' | 'start'> & { variables: Record<string, string> },
): Promise<Rig> {
  const owner = await market.organization(['IP_OWNER'])
  const settings = {
    variables: rig.variables,
    publicUrl: market.config.PUBLIC_URL,
    encryptionKeys: market.config.ENCRYPTION_KEYS,
  }
  const whole: Rig = { ...rig, market, settings, own: new Uploading(market, owner.administrator.client) }
  describeFiles(whole)
  describeAddresses(whole)
  // Last, for it takes the store away.
  describeStore(whole)
  return whole
}
