import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type * as api from '../../../proto/http/sourcing/documents.ts'
import { MAX_DOCUMENTS, type UpdateOrderDocumentsRequest } from '../../../proto/http/sourcing/documents.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { ORDER } from '../../../proto/states/orders.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { found, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { requireLegal } from '../cases/commands.ts'
import { findCase, lockCase } from '../cases/queries.ts'
import {
  addFile,
  attach,
  type FileDeps,
  findAdditions,
  type NamedUpload,
  requireWithinQuota,
} from '../files/additions.ts'
import type { RecordKey, RecordKind } from '../files/queries.ts'
import type { StorageQuota } from '../files/rules.ts'
import { emitOfferEvent } from '../offers/events.ts'
import { findRfqOf, lockOwnOffer } from '../offers/queries.ts'
import { findOrder, lockOrder } from '../orders/queries.ts'
import { GUARDS as ORDER_GUARDS } from '../orders/rules.ts'
import { emitRfqEvent } from '../rfqs/events.ts'
import { findOwnRfq, lockOwnRfq } from '../rfqs/queries.ts'
import { stateAt as rfqStateAt } from '../rfqs/rules.ts'
import * as queries from './queries.ts'
import { type ReaderDeps, tellOfCase, tellOfOrder } from './readers.ts'
import { hasTooManyDocuments, publicProblems, unknownDocuments, unknownShipments } from './rules.ts'

export type DocumentDeps = FileDeps & ReaderDeps

type DocumentUpload = NamedUpload<NonNullable<UpdateOrderDocumentsRequest['add']>[number]>

interface FoundDocuments {
  uploads: DocumentUpload[]
}

type Call = CommandOf<typeof api.updateRfqFiles> & FoundDocuments

/** The record as far as an organization may change its documents; no row otherwise. */
const FIND: Record<RecordKind, (sql: Sql, orgId: string, id: string) => PromiseLike<readonly unknown[]>> = {
  rfq: findOwnRfq,
  offer: findRfqOf,
  order: findOrder,
  case: findCase,
}

/** Finds the objects of the uploads, because a transaction must not wait for the store. */
export async function findDocuments(
  deps: FileDeps,
  kind: RecordKind,
  { caller: { orgId }, params: { id }, body }: PreparationOf<typeof api.updateRfqFiles>,
): Promise<FoundDocuments> {
  found(await FIND[kind](deps.sql, orgId, id))
  return { uploads: await findDocumentAdditions(deps, { orgId, record: { kind, id }, files: body }) }
}

interface DocumentChange {
  orgId: string
  record: RecordKey
  /** Only the documents of orders name shipments. */
  files: UpdateOrderDocumentsRequest
  now: string
}

/** The uploads of a change and their objects. Throws 400 for ids that the organization may not name. */
export async function findDocumentAdditions(
  deps: FileDeps,
  { orgId, record, files }: Omit<DocumentChange, 'now'>,
): Promise<DocumentUpload[]> {
  const { add = [] } = files
  const unknown = await unknownIn(deps.sql, { orgId, record, files })
  return findAdditions(deps, orgId, add, (uploads) => [...publicProblems(add, uploads), ...unknown])
}

const unknownIn = async (sql: Sql, { orgId, record, files }: Omit<DocumentChange, 'now'>) => {
  const { add = [], attach = [], remove = [] } = files
  const named = [
    ...add.flatMap(({ supersedes = [] }) => supersedes),
    ...attach.map(({ documentId }) => documentId),
    ...remove,
  ]
  const own = named.length === 0 ? [] : await queries.findOwnDocuments(sql, orgId, record, named)
  const shipmentIds = [...add, ...attach].flatMap((sent) => sent.shipmentIds ?? [])
  const shipments = shipmentIds.length === 0 ? [] : await queries.findShipments(sql, record.id, shipmentIds)
  return [
    ...unknownDocuments(files, new Set(own.map(({ id }) => id))),
    ...unknownShipments(files, new Set(shipments.map(({ id }) => id))),
  ]
}

/** Adds and removes documents of an own draft. */
export async function updateRfqFiles({ quota }: DocumentDeps, call: Call): Promise<undefined> {
  const { tx, caller, params, ifMatch, now } = call
  const { document } = found(await lockOwnRfq(tx, caller.orgId, params.id))
  requireMatch(ifMatch, document)
  const rfq: Rfq = JSON.parse(document)
  requireTransition(RFQ, 'updateFiles', rfqStateAt(rfq, now))
  await emitRfqEvent(tx, 'filesChanged', rfq)
  await queries.touchRfq(tx, rfq.id, now)
  await changeDocuments(tx, quota, { ...changeOf('rfq', call), isDraft: true })
  return undefined
}

interface RfqFilesChange {
  /** The consumer. */
  orgId: string
  rfqId: string
  files: UpdateOrderDocumentsRequest
  /** From `findDocumentAdditions`. */
  uploads: DocumentUpload[]
  now: string
}

/**
 * Changes the documents of an RFQ for its amendment, which locks its row and notifies its readers. It comes last in a
 * transaction, because it locks the storage usage of the organization, which is locked after cases.
 */
export const changeRfqFiles = (tx: Tx, quota: StorageQuota, { rfqId, ...change }: RfqFilesChange): Promise<void> =>
  changeDocuments(tx, quota, { ...change, record: { kind: 'rfq', id: rfqId } })

/** Adds and removes documents of an own draft. */
export async function updateOfferFiles({ quota }: DocumentDeps, call: Call): Promise<undefined> {
  const { tx, caller, params, ifMatch } = call
  const row = found(await lockOwnOffer(tx, caller.orgId, params.id))
  requireMatch(ifMatch, row.document)
  requireTransition(OFFER, 'updateFiles', JSON.parse(row.document).state)
  await emitOfferEvent(tx, 'filesChanged', row)
  await changeDocuments(tx, quota, { ...changeOf('offer', call), isDraft: true })
  return undefined
}

/** Adds documents to an order, attaches own ones to its shipments, and removes own ones before it is shipped. */
export async function updateOrderFiles(deps: DocumentDeps, call: Call): Promise<undefined> {
  const { tx, caller, params, ifMatch, body, now } = call
  const acted = { orgId: caller.orgId, id: params.id, by: ORDER.verbs.updateFiles.by }
  const { document } = found(await lockOrder(tx, acted))
  requireMatch(ifMatch, document)
  const order: Order = JSON.parse(document)
  requireTransition(ORDER, 'updateFiles', order.state)
  if ((body.remove ?? []).length > 0) {
    await requireGuards(ORDER, 'removeFiles', order.state, { guards: ORDER_GUARDS, facts: () => order })
  }
  const attached = await attachDocuments(tx, changeOf('order', call))
  const { add = [], remove = [] } = body
  // What is attached already is no change.
  if (attached + add.length + remove.length === 0) return undefined
  await tellOfOrder(deps, tx, order, now)
  await changeDocuments(tx, deps.quota, changeOf('order', call))
  return undefined
}

/** Attaches own documents of a locked order to shipments. Returns how many were not attached to all of them. */
async function attachDocuments(tx: Tx, change: DocumentChange): Promise<number> {
  const { orgId, record, files } = change
  const { attach = [] } = files
  if (attach.length === 0) return 0
  await requireKnown(tx, change)
  let count = 0
  for (const { documentId, shipmentIds } of attach) {
    count += (await queries.attachDocument(tx, orgId, record, documentId, [...new Set(shipmentIds)])).length
  }
  return count
}

/** Adds documents to an open case, and removes own ones. */
export async function updateCaseFiles({ quota }: DocumentDeps, call: Call): Promise<undefined> {
  const { tx, caller, params, ifMatch, now } = call
  const { document, own_document: ownDocument } = found(await lockCase(tx, caller.orgId, params.id))
  requireMatch(ifMatch, ownDocument)
  const record: Case = JSON.parse(document)
  await requireLegal(tx, 'edit', record, now)
  await tellOfCase(tx, record)
  await changeDocuments(tx, quota, changeOf('case', call))
  return undefined
}

function changeOf(kind: RecordKind, call: Call): DocumentChange & FoundDocuments {
  const { caller, params, body, uploads, now } = call
  return { orgId: caller.orgId, record: { kind, id: params.id }, files: body, uploads, now }
}

/**
 * Adds, supersedes and removes documents of an organization in a locked record, all or nothing. The ids are validated
 * again, because a concurrent request may have changed the documents. A document that is superseded in a draft is
 * deleted, because what a draft had before is not published.
 */
async function changeDocuments(
  tx: Tx,
  quota: StorageQuota,
  change: DocumentChange & FoundDocuments & { isDraft?: boolean },
): Promise<void> {
  const { orgId, record, files, uploads, isDraft = false, now } = change
  await requireKnown(tx, change)
  const additions = await attach(tx, orgId, uploads, now)
  const { remove = [] } = files
  if (remove.length > 0) await queries.deleteDocuments(tx, orgId, record, remove)
  const older = additions.flatMap(({ sent }) => sent.supersedes ?? [])
  const replaced = older.length === 0 ? [] : await queries.findOwnDocuments(tx, orgId, record, older)
  for (const [index, addition] of additions.entries()) {
    const {
      kind,
      supersedes,
      shipmentIds = replaced.find((each) => each.id === supersedes)?.shipment_ids ?? [],
    } = addition.sent
    const place = { record, documentKind: kind, shipmentIds: [...new Set(shipmentIds)] }
    const id = await addFile(tx, { orgId, place, addition, now })
    if (supersedes === undefined) continue
    if (isDraft) await queries.deleteDocuments(tx, orgId, record, [supersedes])
    else if ((await queries.supersede(tx, orgId, record, supersedes, id)).length === 0) throw alreadySuperseded(index)
  }
  if (additions.length > 0) await requireWithinLimits(tx, quota, orgId, record)
}

async function requireKnown(tx: Tx, change: DocumentChange): Promise<void> {
  requireValid(await unknownIn(tx, change))
}

const alreadySuperseded = (index: number) =>
  refuse('conflict', {
    detail: 'A document is superseded already. Supersede the newer one instead.',
    errors: [{ field: `add.${index}.supersedes`, message: 'is superseded already' }],
  })

/** Throws 409 beyond a limit. It is checked after the change, so that a request may replace documents at the limit. */
async function requireWithinLimits(tx: Tx, quota: StorageQuota, orgId: string, record: RecordKey): Promise<void> {
  const [{ documents }] = await queries.countDocuments(tx, orgId, record)
  if (hasTooManyDocuments(documents)) {
    throw refuse('limit_reached', { detail: `Your organization has at most ${MAX_DOCUMENTS} documents in one record.` })
  }
  await requireWithinQuota(tx, quota, orgId)
}
