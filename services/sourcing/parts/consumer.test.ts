import { expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { marketplaceOf } from '../../all/testing.ts'
import { importTexts, restoreShipped, shippedText } from '../../catalog/testing/imports.ts'
import { connect } from '../../kit/db/client.ts'
import { until } from '../../kit/testing/until.ts'

const market = await marketplaceOf(['sourcing'])
const { client } = (await market.organization(['IP_OWNER'])).administrator

test('a process with other technologies shows in the parts that use it, without a new revision', async () => {
  const sql = connect(market.db.ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
  const { id } = (await client.post<{ id: string }>('/v1/parts', { processId: 'pbf-metal' })).body
  const other = (await client.post<{ id: string }>('/v1/parts', { processId: 'milling-metal' })).body.id
  const read = async (part: string) => (await client.get<Part>(`/v1/parts/${part}`)).body
  const before = await read(id)
  const untouched = await read(other)
  expect(before.technologyIds).toEqual(['pbf-lb-m', 'pbf-eb-m'])

  const processes = (await shippedText('processes')).replace('pbf-lb-m;pbf-eb-m', 'pbf-lb-m')
  const { problems } = await importTexts(sql, { processes })
  expect(problems.count).toBe(0)
  const after = await until(
    async () => {
      const part = await read(id)
      return part.technologyIds.length === 1 && part
      // Any write on this server that has not ended, another test's too, holds the event back.
    },
    { withinMs: 60_000 },
  )
  expect(after).toEqual({ ...before, technologyIds: ['pbf-lb-m'] })
  expect(await read(other)).toEqual(untouched)
  await restoreShipped(sql, 'processes')
  await sql.end({ timeout: 1 })
}, 90_000)
