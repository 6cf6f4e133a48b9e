import { describe, expect, test } from 'bun:test'
import { SALES_AGREEMENT_STATES } from '../../../proto/states/sales-agreements.ts'
import { insertAgreement } from '../../testing/awards.ts'
import { AGREEMENT_VERBS, after } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const stranger = await market.organization(['MANUFACTURER', 'SELLER'])
const NAMES = ['manufacturer', 'seller', 'stranger'] as const

describe.each(Object.keys(AGREEMENT_VERBS) as (keyof typeof AGREEMENT_VERBS)[])('%s of an agreement', (verb) => {
  test.each(NAMES)('that the seller proposed, in every state by %s, has the result of the contract', async (caller) => {
    const mayUse = (AGREEMENT_VERBS[verb].by as readonly string[]).includes(caller)
    for (const state of SALES_AGREEMENT_STATES) {
      const [manufacturer, seller] = await Promise.all([
        market.organization(['MANUFACTURER']),
        market.organization(['SELLER']),
      ])
      const id = await insertAgreement(owner, manufacturer.orgId, seller.orgId, '2.5')
      await owner`update sourcing.sales_agreements set state = ${state} where id = ${id}`
      const { client } = { manufacturer, seller, stranger }[caller].administrator
      const { status } = await client.post(`/flows/v1/sales-agreements/${id}/${verb}`)
      const [row] = await owner<{ state: string }[]>`select state from sourcing.sales_agreements where id = ${id}`
      const next = after(AGREEMENT_VERBS[verb], state, null)
      const refused = mayUse ? 409 : 404
      const expected = mayUse && next !== undefined ? `200 ${next}` : `${refused} ${state}`
      expect(`${state}: ${status} ${row?.state}`).toBe(`${state}: ${expected}`)
    }
  })
})
