import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { MANUFACTURERS, recordOf } from './record-kind.ts'

/** A sales agreement that another organization has proposed to the manufacturer of the account. */
async function proposedAgreement({ market }: Fixtures, { orgId }: Account): Promise<string> {
  const [id, seller] = [newId('agreement'), await market.organization(['SELLER'])]
  await market.db.owner`
    insert into sourcing.sales_agreements (id, manufacturer_org_id, seller_org_id, fee_percent, state, proposed_by_org_id,
      created_at, updated_at)
    values (${id}, ${orgId}, ${seller.orgId}, 2.5, 'PROPOSED', ${seller.orgId}, now(), now())`
  return id
}

export const AGREEMENT_RECORDS = {
  salesAgreement: recordOf(MANUFACTURERS, 'agreement', proposedAgreement),
} as const
