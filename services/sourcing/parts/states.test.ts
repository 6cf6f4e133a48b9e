import { describe, expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { after, PART_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const [ipOwner, consumer, invited, stranger] = await Promise.all([
  market.organization(['IP_OWNER']),
  market.organization(['CONSUMER']),
  market.organization(['MANUFACTURER']),
  market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
])
const CALLERS = { ipOwner, consumer, invited, stranger }
type CallerName = keyof typeof CALLERS
type Verb = keyof typeof PART_VERBS
const STATES: readonly Part['state'][] = ['DRAFT', 'PUBLISHED', 'ARCHIVED']

/** A part in a state, with a closed RFQ, whose invitee reads the part in every state. */
async function partIn(state: Part['state']): Promise<string> {
  const id = await publishedPart(ipOwner.administrator.client)
  const rfqs = rfqsOf(consumer.administrator.client)
  const { body } = await rfqs.create(rfqBody(id, { manufacturerIds: [invited.orgId], expireTime: inHours(9) }))
  await rfqs.act(body.id, 'publish')
  await market.db.owner`
    update sourcing.rfqs set state = 'AWARDED', awarded_offer_ids = '{offer_1}' where id = ${body.id}`
  await market.db.owner`
    update sourcing.rfq_invitations set awarded_offer_ids = '{offer_1}' where rfq_id = ${body.id}`
  await market.db.owner`update sourcing.parts set state = ${state} where id = ${id}`
  return id
}

function send(id: string, verb: Verb, { administrator: { client } }: typeof ipOwner) {
  const path = `/flows/v1/parts/${id}`
  if (verb === 'patch') return client.send('PATCH', path, { body: { title: 'Renamed' } })
  return verb === 'delete' ? client.send('DELETE', path) : client.post(`${path}/${verb}`)
}

describe.each(Object.keys(PART_VERBS) as Verb[])('%s', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      // The permissions over parts are effective in every organization, so that a foreign part is not found.
      const mayUse = (PART_VERBS[verb].by as readonly string[]).includes(caller)
      const expected = STATES.map((state) => {
        const next = after(PART_VERBS[verb], state)
        if (!mayUse) return `${state}: 404 ${state}`
        return `${state}: ${next === undefined ? `409 ${state}` : `${verb === 'delete' ? 204 : 200} ${next}`}`
      })
      const tried = STATES.map(async (state) => {
        const id = await partIn(state)
        const { status } = await send(id, verb, CALLERS[caller])
        const [row] = await market.db.owner<{ state: string }[]>`select state from sourcing.parts where id = ${id}`
        return `${state}: ${status} ${row?.state ?? 'DELETED'}`
      })
      expect(await Promise.all(tried)).toEqual(expected)
    },
  )
})
