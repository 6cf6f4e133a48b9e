import type { FiltersOf } from '../../../proto/http/operation.ts'
import type { listDistributorRfqs } from '../../../proto/http/sourcing/distributor-rfqs.ts'
import type { Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

type Listing = PageWindow & FiltersOf<typeof listDistributorRfqs>

/**
 * Newest first: the published RFQs of the consumers that are engaged through a distributor now, of each as many as all
 * pages up to the wanted one have. The JSON has no awards, and what invitees or the IP owner read besides, and is the
 * outline where the RFQ has confidentiality terms.
 */
export const listRfqs = (sql: Sql, orgId: string, { consumerOrgId, state, after, limit, offset }: Listing) => sql<
  DocumentRow[]
>`
  select page.id as position, case when (page.rfq).terms ->> 'confidentialityTerms' is null then shown.document
    else sourcing.rfq_outline(shown.document) end as document
  from (
    select rfq.id, rfq.rfq from organization.org_directory consumer
    cross join lateral (
      select rfq.id, rfq from sourcing.rfqs rfq
      where consumer_org_id = consumer.org_id and published_at is not null and id < ${after ?? NEWEST_ID}
        and not (${orgId} = any(manufacturer_ids)) and ${and(sql, state !== undefined && sql`state = ${state}`)}
      order by id desc limit ${limit + offset}
    ) rfq
    where consumer.engagement = 'DISTRIBUTOR' and consumer.distributor_org_id = ${orgId}
      and ${and(sql, consumerOrgId !== undefined && sql`consumer.org_id = ${consumerOrgId}`)}
    order by rfq.id desc limit ${limit} offset ${offset}
  ) page
  cross join lateral (
    select sourcing.without_field(sourcing.without_field(
      sourcing.rfq_document(page.rfq, (page.rfq).manufacturer_ids, '{}', 'DISTRIBUTOR')::json, 'packageId'),
      'partChanged')::text as document
  ) shown
  order by page.id desc`
