import { expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { publishedPart } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import type { SourcingConfig } from '../config.ts'
import { createSourcing } from '../service.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, open, submittedOffer } = await offerParties(market)

/** A part with a finished order of this age, whose pinned revision is due. */
async function orderedBefore(days: number): Promise<string> {
  const partId = await publishedPart(ipOwner.administrator.client)
  const rfqId = await open({ partId })
  const offerId = await submittedOffer({}, rfqId)
  await awardsOf(consumer.administrator.client).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
  await owner`
    update sourcing.orders set state = 'COMPLETED', created_at = now() - make_interval(days => ${days})
    where rfq_id = ${rfqId}`
  await owner`update sourcing.rfqs set state_since = now() - interval '400 days' where id = ${rfqId}`
  await owner`update sourcing.part_revisions set due_at = now() where part_id = ${partId}`
  return partId
}

/** Runs the clean-up of the service, with these settings, until it has seen each revision that is due. */
async function cleanUp(settings: Partial<SourcingConfig> = {}): Promise<void> {
  const service = await createSourcing({ ...market.configOf<SourcingConfig>('sourcing'), ...settings })
  const stopping = new AbortController()
  const work = service.workers.find(({ name }) => name === 'cleanup')?.run(stopping.signal)
  const due = () => owner`select from sourcing.part_revisions where due_at <= now()`
  await until(async () => (await due()).length === 0, { what: 'the clean-up' })
  stopping.abort()
  await work
  await service.close()
}
const keptOf = async (...partIds: string[]) => {
  const rows = await owner<{ part_id: string }[]>`select part_id from sourcing.part_revisions`
  return partIds.map((partId) => rows.some(({ part_id: kept }) => kept === partId))
}

test('an order keeps its revision for seven years, or as long as REVISION_RETENTION_DAYS says', async () => {
  const [younger, older] = [await orderedBefore(2556), await orderedBefore(2558)]
  await cleanUp()
  expect(await keptOf(younger, older)).toEqual([true, false])
  const [recent, before] = [await orderedBefore(9), await orderedBefore(11)]
  await owner`update sourcing.part_revisions set due_at = now() where part_id = ${younger}`
  await cleanUp({ REVISION_RETENTION_DAYS: 10 })
  expect(await keptOf(younger, recent, before)).toEqual([false, true, false])
})
