import { expect, setDefaultTimeout, test } from 'bun:test'
import { SERVICES } from '../../proto/services.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../testing/fixtures.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { DOCUMENTED } from '../testing/operations/document.ts'
import { ownInput, sampleOf } from '../testing/operations/samples.ts'
import { recordKind } from '../testing/records.ts'

setDefaultTimeout(60_000)
const market = await testMarketplace(FIXTURE_SETTINGS)
const fixtures = new Fixtures(market)

/** The ids of the events of the stream NOTIFICATIONS of every service. */
async function notifications(): Promise<string[]> {
  const ids = await Promise.all(
    SERVICES.map(
      (service) => market.db.owner<{ id: string }[]>`
        select id from ${market.db.owner(service)}.outbox where type like 'cases.%' or type like 'assignments.%'
        order by id`,
    ),
  )
  return ids.flat().map(({ id }) => id)
}

const OPERATIONS = DOCUMENTED.filter(({ path }) => path.startsWith('/v1/'))

test('the document has every operation under /v1', () => expect(OPERATIONS).toHaveLength(49))

test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  '%s succeeds and emits nothing on NOTIFICATIONS',
  async (_, operation) => {
    const account = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
    const input = await ownInput(operation, fixtures, account)
    const before = await notifications()
    const { status, text } = await fixtures.send(account, operation, input)
    expect([status, text]).toEqual([operation.success, text])
    expect(await notifications()).toEqual(before)
  },
)

test('the publication of an RFQ under /flows/v1 emits on NOTIFICATIONS', async () => {
  const account = await fixtures.account('owner', 'administrator')
  const id = await recordKind('draftRfq').make(fixtures, account)
  const before = await notifications()
  const { status } = await (await fixtures.clientOf(account)).post(`/flows/v1/rfqs/${id}/publish`)
  expect(status).toBe(200)
  expect((await notifications()).length).toBeGreaterThan(before.length)
})
