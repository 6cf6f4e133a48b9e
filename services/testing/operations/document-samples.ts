import type { Permission } from '../../../proto/permissions.ts'
import { insertDocument } from '../documents.ts'
import { type Account, ALL_KINDS, type Fixtures, type Kind } from '../fixtures.ts'
import { insertShipmentOnly } from '../orders.ts'
import { type RecordName, recordKind } from '../records.ts'
import { completedUpload, openUpload } from './files.ts'
import { withValue } from './inputs.ts'
import { type OperationSample, unfit } from './operation-sample.ts'
import { boughtOrder } from './orders.ts'

type Kinds = readonly Kind[]

interface DocumentsOf {
  kind: 'rfq' | 'offer' | 'order' | 'case'
  /** A record whose documents the organization of an account may change. */
  record: RecordName
  /** A document of another record than that of the request. */
  document: RecordName
  by?: Kind
  make?: (fixtures: Fixtures, account: Account) => Promise<unknown>
  permission?: Permission
  /** The place of the change in the request. */
  at?: string
}

/** A change of the documents of a record, which adds, supersedes and removes one. */
export function changeOf({
  kind,
  record,
  document,
  by = 'owner',
  make,
  permission = 'file:write',
  at = 'body',
}: DocumentsOf): OperationSample & Required<Pick<OperationSample, 'references' | 'values'>> {
  const owners: Kinds = make ? ALL_KINDS : recordKind(record).owners
  const isOwner = (account: Account) => owners.includes(account.kind)
  const status = (own: number | undefined, other: number) => (account: Account) => {
    if (!account.permissions.has(permission)) return undefined
    return isOwner(account) ? own : other
  }
  return {
    by,
    references: {
      // The documents of the request are those of another record.
      'path.id': { record, own: status(400, 404) },
      [`${at}.add.0.uploadId`]: { record: 'upload', own: status(undefined, 404) },
      [`${at}.add.0.supersedes`]: { record: document, own: status(400, 404) },
      [`${at}.remove.0`]: { record: document, own: status(400, 404) },
    },
    values: async (fixtures, account) => {
      const maker = isOwner(account) ? account : await fixtures.account(by, 'administrator')
      const id = String(await (make ?? recordKind(record).make)(fixtures, maker))
      const row = { orgId: maker.orgId, kind, recordId: id }
      return {
        'path.id': id,
        [`${at}.add.0.uploadId`]: await completedUpload(fixtures, account),
        [`${at}.add.0.supersedes`]: await insertDocument(fixtures.market, row),
        [`${at}.remove`]: [await insertDocument(fixtures.market, row)],
      }
    },
    conflict: async (fixtures, account, input) =>
      withValue(input, `${at}.add.0.uploadId`, (await openUpload(fixtures, account)).id),
  }
}

const orderFiles = changeOf({
  kind: 'order',
  record: 'boughtOrder',
  document: 'orderDocument',
  make: (fixtures, account) => boughtOrder(fixtures, account, 'PLACED'),
})

/** Documents of RFQs, offers, orders and cases. */
export const DOCUMENT_SAMPLES: Record<string, OperationSample> = {
  listRfqFiles: { references: { 'path.id': ['draftRfq', 'openRfq', 'rfqInvitation'] } },
  updateRfqFiles: changeOf({ kind: 'rfq', record: 'draftRfq', document: 'rfqDocument' }),
  listOfferFiles: { references: { 'path.id': ['receivedOffer', 'draftOffer', 'submittedOffer'] } },
  updateOfferFiles: changeOf({
    kind: 'offer',
    record: 'draftOffer',
    document: 'offerDocument',
    by: 'manufacturer',
  }),
  listOrderFiles: { references: { 'path.id': ['boughtOrder', 'ownedOrder', 'placedOrder'] } },
  updateOrderFiles: {
    ...orderFiles,
    references: {
      ...orderFiles.references,
      // Records of another order than that of the request.
      'body.add.0.shipmentIds.0': unfit('shipment', 400, 'file:write'),
      'body.attach.0.documentId': unfit('orderDocument', 400, 'file:write'),
      'body.attach.0.shipmentIds.0': unfit('shipment', 400, 'file:write'),
    },
    values: async (fixtures, account) => {
      const values = await orderFiles.values(fixtures, account)
      const recordId = String(values['path.id'])
      const shipmentId = await insertShipmentOnly(fixtures.market.db.owner, recordId, 'SHIPPED')
      const documentId = await insertDocument(fixtures.market, { orgId: account.orgId, kind: 'order', recordId })
      const attach = [{ documentId, shipmentIds: [shipmentId] }]
      return { ...values, 'body.add.0.shipmentIds': [shipmentId], 'body.attach': attach }
    },
  },
  listCaseFiles: { references: { 'path.id': 'openCase' } },
  updateCaseFiles: changeOf({ kind: 'case', record: 'openCase', document: 'caseDocument' }),
}
