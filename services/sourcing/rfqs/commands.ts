import type * as api from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { MAX_INVITEES, type Rfq, type RfqInput, type RfqPatch } from '../../../proto/http/sourcing/rfqs.ts'
import { noSuch } from '../../../proto/messages.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSeparateIdAt, withSerialNumber } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalidField, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { causeOf, emitRfqDetail, emitRfqEvent, emitRfqEvents } from './events.ts'
import type { RfqDeps } from './followers.ts'
import { lockOwn, type OwnRfq, requireLegal, requireSubscription } from './legality.ts'
import { insertInvitations } from './move-queries.ts'
import { requirePackageSize } from './moves.ts'
import * as queries from './queries.ts'
import {
  contentOf,
  contentProblems,
  hasTooManyInvitees,
  inviteeProblems,
  patchedContent,
  type RfqContent,
  releaseProblems,
  writableFields,
} from './rules.ts'

/** Creates a draft of the caller's organization. */
export async function createRfq({ tx, caller, body, now, audit }: CommandOf<typeof api.createRfq>) {
  const content = contentOf(body)
  requireConsistent(content)
  const part = await requireReferences(tx, caller.orgId, content, body)
  requireOwnFiles(caller.orgId, content, part)
  requireSubscription(part)
  const [rfq] = (await insertDrafts(tx, caller, [{ content, part }], now)) as [Rfq]
  audit.add({ rfqId: rfq.id })
  return rfq
}

/** A draft whose references were checked. */
interface NewDraft {
  content: RfqContent
  part: queries.PartRow
  /** Its package, and its place among the lines. */
  line?: { packageId: string; place: number }
}

/** Stores drafts of the caller's organization. Their ids have no order. */
export async function insertDrafts(
  tx: Tx,
  { orgId, userId }: Pick<Caller, 'orgId' | 'userId'>,
  drafts: readonly NewDraft[],
  now: string,
): Promise<Rfq[]> {
  const rfqs: Rfq[] = []
  for (const { content, part, line } of drafts) {
    const created = { id: newSeparateIdAt('rfq', now), line, consumerOrgId: orgId, createdBy: userId }
    const { document } = await withSerialNumber('R', (serialNumber) =>
      queries.insertRfq(tx, { ...created, serialNumber }, part, content, now),
    )
    rfqs.push(JSON.parse(document))
  }
  await emitRfqEvents(tx, 'created', rfqs)
  return rfqs
}

/** Throws 400 for fields that contradict each other. */
export function requireConsistent(content: RfqContent): void {
  requireValid(contentProblems(content))
}

/** Throws 400 for a release of files by the publication where the part is another organization's. */
function requireOwnFiles(orgId: string, content: RfqContent, part: queries.PartRow): void {
  requireValid(releaseProblems(content, [part.ip_owner_org_id], orgId))
}

/** Locks the part; throws 400 for a part or a sent invitee that the consumer may not name. */
async function requireReferences(
  tx: Tx,
  orgId: string,
  { partId }: RfqContent,
  sent: RfqInput | RfqPatch,
): Promise<queries.PartRow> {
  const [part] = await queries.lockParts(tx, orgId, [partId])
  if (!part) throw invalidField('partId', noSuch('part', partId))
  await requireInvitees(tx, orgId, sent.manufacturerIds ?? [])
  return part
}

async function requireInvitees(tx: Tx, orgId: string, sent: readonly string[]): Promise<void> {
  requireValid(inviteeProblems(sent, await queries.findInvitees(tx, orgId, sent)))
}

/** Changes the content of an own draft. A patch without a change writes nothing. */
export async function patchRfq({
  tx,
  caller,
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchRfq>): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  const content = patchedContent(rfq, body)
  requireConsistent(content)
  if (rfq.packageId !== undefined && content.currency !== rfq.currency) {
    throw invalidField('currency', `must be ${rfq.currency}, the currency of the package`)
  }
  // The stored references of a published RFQ are not checked, because it cannot be patched.
  const part = RFQ.isLegal('patch', rfq.state) ? await requireReferences(tx, caller.orgId, content, body) : undefined
  if (part && (body.releaseFiles || body.partId !== undefined)) requireOwnFiles(caller.orgId, content, part)
  requireMatch(ifMatch, document)
  if (!part) throw refuse('illegal_transition', { detail: RFQ.refusal('patch', rfq.state) })
  if (content.partId !== rfq.partId) requireSubscription(part)

  if (Bun.deepEquals(content, contentOf(writableFields(rfq)))) return new JsonText(document)
  const { document: changed } = found(
    await queries.updateContent(tx, { orgId: caller.orgId, id: rfq.id }, part, content, now),
  )
  await emitRfqEvent(tx, 'updated', JSON.parse(changed))
  return new JsonText(changed)
}

/** Invites manufacturers and addresses to an own RFQ. */
export async function inviteToRfq(
  { followers }: RfqDeps,
  { tx, caller, params, body, now, audit }: CommandOf<typeof api.inviteToRfq>,
): Promise<JsonText> {
  const own = await lockOwn(tx, caller.orgId, params.id)
  const sent = body.manufacturerIds ?? []
  await requireInvitees(tx, caller.orgId, sent)
  const document = await inviteManufacturers({ followers }, tx, own, sent, now)
  if (body.emails) {
    audit.add({ emailInvitationIds: await followers.inviteByEmail(tx, own.rfq, body.emails, now) })
  }
  return new JsonText(document)
}

/**
 * Adds invitees, whom the consumer may name, to a locked RFQ, and invites those again that declined. Other present ones
 * stay as they are. Returns the RFQ.
 */
export async function inviteManufacturers(
  { followers }: Pick<RfqDeps, 'followers'>,
  tx: Tx,
  { document, rfq }: OwnRfq,
  sent: readonly string[],
  now: string,
): Promise<string> {
  await requireLegal(tx, 'invite', [rfq], { now })
  const added = [...new Set(sent)].filter((id) => !rfq.manufacturerIds.includes(id))
  const manufacturerIds = [...rfq.manufacturerIds, ...added]
  if (hasTooManyInvitees(manufacturerIds)) {
    throw refuse('limit_reached', { detail: `An RFQ has at most ${MAX_INVITEES} invited manufacturers.` })
  }
  const declined = await queries.renewInvitations(tx, rfq.id, sent, now)
  const invited = [...declined.map(({ org_id: orgId }) => orgId), ...added]
  if (invited.length === 0) return document
  const key = { orgId: rfq.consumerOrgId, id: rfq.id }
  const { document: changed } = found(await queries.updateManufacturers(tx, key, manufacturerIds, now))
  const isOpen = rfq.state === 'OPEN'
  const invitations = isOpen ? added.map((orgId) => ({ rfqId: rfq.id, orgId })) : []
  await insertInvitations(tx, invitations, now)
  await requirePackageSize(tx, [rfq])
  await emitRfqDetail(tx, 'invited', rfq, { manufacturerOrgIds: invited })
  if (isOpen) await followers.openCases(tx, [{ rfq, orgIds: invited, cause: causeOf('invited', rfq) }], now)
  return changed
}

/** Deletes an own draft. */
export async function deleteRfq({ tx, caller, params, now }: CommandOf<typeof api.deleteRfq>): Promise<undefined> {
  const { rfq } = await lockOwn(tx, caller.orgId, params.id)
  await deleteDrafts(tx, [rfq], now)
  return undefined
}

/** Deletes locked drafts. */
export async function deleteDrafts(tx: Tx, rfqs: readonly Rfq[], now: string): Promise<void> {
  await requireLegal(tx, 'delete', rfqs, { now })
  const ids = rfqs.map(({ id }) => id)
  await queries.deleteRfqs(tx, rfqs[0]?.consumerOrgId ?? '', ids)
  await emitRfqEvents(tx, 'deleted', rfqs)
}
