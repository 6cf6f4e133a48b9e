import { expect, setDefaultTimeout, test } from 'bun:test'
import { offerParties } from '../../testing/offers.ts'
import { recordedMarketplace } from '../../testing/statement-log.ts'

setDefaultTimeout(60_000)
const { market, statements } = await recordedMarketplace()
const { consumer, maker, open, submittedOffer } = await offerParties(market)
const rfqId = await open()
for (let n = 0; n < 3; n++) await submittedOffer({}, rfqId)

/** The statements on offers of a request. Those of pagination are one read and one write of its cursor. */
async function statementsOf(path: string, { administrator }: typeof consumer): Promise<string[]> {
  statements.take()
  const { status } = await administrator.client.get(path)
  expect(status).toBe(200)
  return statements.take().filter((text) => /\bsourcing\.offers\b/.test(text) && !/skip locked/.test(text))
}

test.each(['', 'view=CONSUMER', 'view=IP_OWNER', 'view=MANUFACTURER'])(
  'a page of offers with the query %p is one statement, whatever its filters and its number',
  async (view) => {
    for (const filter of [
      '',
      'state=SUBMITTED',
      `rfqId=${rfqId}`,
      'partId=part_1',
      'activated=false',
      'page=2&pageSize=1',
    ]) {
      for (const by of [consumer, maker]) {
        expect(await statementsOf(`/v1/offers?${view}&${filter}`, by)).toHaveLength(1)
      }
    }
  },
)

test('a comparison reads its offers with one statement, and the notes of those that it shows with another', async () => {
  expect(await statementsOf(`/flows/v1/rfqs/${rfqId}/comparison`, consumer)).toHaveLength(2)
})
