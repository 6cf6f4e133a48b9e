import type { Sql } from '../../kit/db/client.ts'
import { materialCodesOfPart } from '../factories/list-queries.ts'
import { isOwnRfq, isWhollyReadable, partAsRead } from '../parts/visibility.ts'
import type { MeasuredColumn } from '../renderings/pictures.ts'
import { isConsumer } from '../rfqs/visibility.ts'
import type { MatchTerms } from './terms.ts'

/**
 * What an own RFQ asks of a factory, by the revision that it pins; before its publication and after its cancellation by
 * the part as the consumer reads it. No row where the organization is not the consumer.
 */
export const findMatchTerms = (sql: Sql, orgId: string, rfqId: string, measured: MeasuredColumn) => sql<MatchTerms[]>`
  select org.distributor_org_id as "distributorOrgId", (
    select json_build_object(
      'materialCodes', ${materialCodesOfPart(sql)}, 'technologyIds', technology_ids, 'standardCodes', content -> 'standardIds',
      'criticalityIds', content -> 'criticalityIds', 'unitSystem', content -> 'unitSystem',
      'boundingBox', coalesce(content -> 'boundingBox', '{}'))
    from (
      select pinned.content, pinned.technology_ids from sourcing.part_revisions pinned
      where is_pinned and pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision
      union all select content, technology_ids from ${partAsRead(sql, orgId, sql`rfq.part_id`)} current where not is_pinned
    ) seen where content is not null) as part, (
    select case when pinned.ip_owner_org_id = ${orgId} then pinned.measured -> 'own' else pinned.measured -> 'open' end
    from sourcing.part_revisions pinned
    where is_pinned and pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision
    union all select ${measured(sql)} from sourcing.parts
    where not is_pinned and id = rfq.part_id and ${isWhollyReadable(sql, orgId)}
  ) as measured
  from sourcing.rfqs rfq
  cross join lateral (select ${isOwnRfq(sql, orgId)} as is_pinned) reading
  join organization.org_directory org on org.org_id = rfq.consumer_org_id
  where rfq.id = ${rfqId} and ${isConsumer(sql, orgId)}`
