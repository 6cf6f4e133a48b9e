import { expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import { connect } from '../../kit/db/client.ts'
import { importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { createFactory, PRINTS_STEEL } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const maker = await market.organization(['MANUFACTURER', 'CONSUMER'])
const { client } = maker.administrator
const sql = connect(market.db.ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))

test('criticalityCode is compared with the codes of criticalities, not with their ids', async () => {
  const criticalities = (await shippedText('criticalities')).replace(
    /^api-20s-amsl-2,api-20s-amsl-2,/m,
    'api-20s-amsl-2,AMSL-2,',
  )
  expect((await importTexts(sql, { criticalities })).problems.count).toBe(0)
  const capabilities = [{ ...PRINTS_STEEL, criticalityIds: ['api-20s-amsl-2'] }]
  const { id } = await createFactory(client, { capabilities })
  const found = async (view: string, code: string) =>
    (await client.get<{ items: Factory[] }>(`/v1/factories?view=${view}&criticalityCode=${code}`)).body.items.map(
      (factory) => factory.id,
    )
  for (const view of ['CONSUMER', 'MANUFACTURER']) {
    expect(await found(view, 'AMSL-2')).toEqual([id])
    for (const other of ['api-20s-amsl-2', 'amsl-2', 'AMSL']) expect(await found(view, other)).toEqual([])
  }
  await restoreShipped(sql, 'criticalities')
})
