import type { BillingDetails } from '../../../proto/http/sourcing/billing-details.ts'
import type { Actor } from '../../../proto/states/state-table.ts'
import type { Sql } from '../../kit/db/client.ts'
import * as offers from '../offers/visibility.ts'
import { documentFor, isActor } from '../orders/visibility.ts'
import * as rfqs from '../rfqs/visibility.ts'

interface PrintedPart {
  serialNumber: string
  revision: number
  title: string | null
  material: string | null
  process: string | null
}

export interface PrintedRow {
  /** The JSON of the order for the organization. */
  document: string
  /** The names of the organizations by id. */
  names: Record<string, string>
  /** Absent where the pinned revision is no longer kept. */
  part: PrintedPart | null
  /** Absent for an organization that cannot read the offer. */
  reference: string | null
  /** The JSON of the RFQ for the organization; absent where it cannot read the RFQ. */
  rfq: string | null
  /** The newest billing details of each organization by its id; absent where the caller cannot read them. */
  billing: Record<string, BillingDetails> | null
  /** The JSON of the wanted shipment; absent where it is none of the order. */
  shipment: string | null
}

interface Wanted {
  id: string
  shipmentId: string | undefined
  readers: readonly Actor[]
  readsBilling: boolean
}

/** What an organization may read of an order and its document; no row where the document is not for it. */
export const findPrinted = (sql: Sql, orgId: string, { id, shipmentId, readers, readsBilling }: Wanted) => sql<
  PrintedRow[]
>`
  select ${documentFor(sql, orgId)} as document,
    (select json_object_agg(org_id, name) from organization.org_directory
      where org_id in (orders.consumer_org_id, orders.ip_owner_org_id, orders.manufacturer_org_id, orders.seller_org_id,
        orders.distributor_org_id)) as names,
    (select json_build_object('serialNumber', serial_number, 'revision', revision, 'title', content ->> 'title',
        'material', coalesce(
          (select name from catalog.material_lookup where code = content ->> 'materialId'), content ->> 'materialId'),
        'process', coalesce(
          (select name from catalog.process_lookup where code = content ->> 'processId'), content ->> 'processId'))
      from sourcing.part_revisions where part_id = orders.part_id and revision = part_revision) as part,
    (select reference from sourcing.offers
      where id = orders.offer_id and ${offers.maySeePrices(sql, orgId)} and (${offers.isManufacturer(sql, orgId)}
        or (${offers.isConsumer(sql, orgId)}) or (${offers.isIpOwner(sql, orgId)}))) as reference,
    coalesce(
      (select ${rfqs.documentFor(sql, orgId)} from sourcing.rfqs rfq
        where rfq.id = orders.rfq_id and (${rfqs.isConsumer(sql, orgId)} or (${rfqs.isIpOwner(sql, orgId)}))),
      (select document from sourcing.rfq_invitations
        where rfq_id = orders.rfq_id and ${rfqs.isInvited(sql, orgId)} and state <> 'DECLINED')) as rfq,
    case when ${readsBilling} then (
      select json_object_agg(org_id, document::json)
      from (
        select distinct on (org_id) org_id, document from sourcing.subrecords
        where parent_id = (select id from sourcing.assignments where order_id = orders.id) and kind = 'billing'
        order by org_id, id desc
      ) newest) end as billing,
    (select document from sourcing.shipments where id = ${shipmentId ?? null} and order_id = orders.id) as shipment
  from sourcing.orders where id = ${id} and ${isActor(sql, orgId, readers)}`
