import type { Sql } from '../../kit/db/client.ts'
import { materialCodesOfPart } from '../factories/list-queries.ts'
import { isWhollyReadable, partAsRead } from '../parts/visibility.ts'
import type { MeasuredColumn } from '../renderings/pictures.ts'
import { isConsumer } from '../rfqs/visibility.ts'
import type { MatchTerms } from './terms.ts'

/** What an own RFQ asks of a factory; no row where the organization is not the consumer. */
export const findMatchTerms = (sql: Sql, orgId: string, rfqId: string, measured: MeasuredColumn) => sql<MatchTerms[]>`
  select org.distributor_org_id as "distributorOrgId", (
    select json_build_object(
      'materialCodes', ${materialCodesOfPart(sql)}, 'technologyIds', technology_ids, 'standardCodes', content -> 'standardIds',
      'criticalityIds', content -> 'criticalityIds', 'unitSystem', content -> 'unitSystem',
      'boundingBox', coalesce(content -> 'boundingBox', '{}'))
    from ${partAsRead(sql, orgId, sql`rfq.part_id`)} seen where content is not null) as part, (
    select ${measured(sql)} from sourcing.parts where id = rfq.part_id and ${isWhollyReadable(sql, orgId)}
  ) as measured
  from sourcing.rfqs rfq
  join organization.org_directory org on org.org_id = rfq.consumer_org_id
  where rfq.id = ${rfqId} and ${isConsumer(sql, orgId)}`
