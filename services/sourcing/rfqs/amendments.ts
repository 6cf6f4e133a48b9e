import type * as api from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import type { Amendment } from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { MAX_AMENDMENTS, type Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { utcOf } from '../../../proto/http/times.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { requireConsistent } from './commands.ts'
import { caseChange, emitRfqEvent } from './events.ts'
import type { RfqChange, RfqDeps } from './followers.ts'
import { type EachRfq, inTurn, lockOwn, type OwnRfq, requireLegal } from './legality.ts'
import { pinParts } from './move-queries.ts'
import { listDiffering, unmark } from './part-change-queries.ts'
import * as queries from './queries.ts'
import { amendedContent, hasTooManyAmendments, type RfqContent, readersOfChange } from './rules.ts'

interface PreparedAmendment {
  changeFiles: ((tx: Tx) => Promise<void>) | undefined
}

/** Finds the objects of added documents, because a transaction must not wait for the store. */
export async function prepareAmendment(
  { sql, followers }: RfqDeps & { sql: Pool },
  { caller: { orgId }, params, body: { files }, now }: PreparationOf<typeof api.amendRfq>,
): Promise<PreparedAmendment> {
  const { id: rfqId } = found(await queries.findOwnRfq(sql, orgId, params.id))
  return { changeFiles: files && (await followers.prepareRfqFiles({ orgId, rfqId, files, now })) }
}

/** Changes terms of an own OPEN RFQ, or the revision of its part. Submitted offers for it may become outdated. */
export async function amendRfq(
  deps: RfqDeps,
  { tx, caller, params, body, ifMatch, changeFiles, now }: CommandOf<typeof api.amendRfq> & PreparedAmendment,
): Promise<JsonText> {
  const own = await lockOwn(tx, caller.orgId, params.id)
  requireConsistent(amendedContent(own.rfq, body).content)
  requireMatch(ifMatch, own.document)
  const [document] = await amendRfqs(deps, tx, [own], body, { changesFiles: changeFiles !== undefined, now })
  await changeFiles?.(tx)
  return new JsonText(document ?? own.document)
}

interface Amending {
  /** Whether documents also change, which makes a new version. */
  changesFiles?: boolean
  now: string
  eachRfq?: EachRfq
}

/** Amends locked RFQs of one consumer, all or none, and returns their JSON. One without a change stays as it is. */
export async function amendRfqs(
  { followers }: RfqDeps,
  tx: Tx,
  owned: readonly OwnRfq[],
  amendment: Amendment,
  { changesFiles = false, now, eachRfq = inTurn }: Amending,
): Promise<string[]> {
  const amended = owned.map(({ rfq, document }) => ({ rfq, document, ...amendedContent(rfq, amendment) }))
  const contents = new Map(amended.map(({ rfq, content }) => [rfq.id, content]))
  const contentOf = (id: string) => contents.get(id) as RfqContent
  await eachRfq(
    owned.map(({ rfq }) => rfq),
    async ({ id }) => requireConsistent(contentOf(id)),
  )
  const checked = amended.map(({ rfq, content }) => afterAmendment(rfq, content))
  const newExpireTime = amendment.expireTime === undefined ? undefined : utcOf(amendment.expireTime)
  const parts = await requireLegal(tx, 'amend', checked, { now, newExpireTime, eachRfq })

  const repinned = amendment.partRevision === 'CURRENT' ? await listDiffering(tx, [...contents.keys()]) : []
  const repinnedIds = new Set(repinned.map(({ id }) => id))
  const planned = amended.map((one) => {
    const pinned = repinnedIds.has(one.rfq.id) ? parts.get(one.rfq.partId) : undefined
    return { ...one, pinned, ...changeOf(one, pinned !== undefined || changesFiles) }
  })
  const versions = planned.flatMap(({ rfq, isNewVersion }) => (isNewVersion ? [rfq] : []))
  await eachRfq(versions, async (rfq) => requireRoomForVersion(rfq))

  const documents: string[] = []
  const changes: RfqChange[] = []
  for (const { rfq, document, content, pinned, isNewVersion, isExtended } of planned) {
    const endsMark = amendment.partRevision === 'CURRENT' && rfq.partChanged === true
    if (!isNewVersion && !isExtended) {
      documents.push(endsMark ? (await unmark(tx, rfq.id))[0].document : document)
      continue
    }
    if (pinned) await pinParts(tx, [rfq.partId], now)
    const change = { reason: amendment.reason, isNewVersion, pinned, endsMark }
    const key = { orgId: rfq.consumerOrgId, id: rfq.id }
    documents.push(found(await queries.amendContent(tx, key, content, change, now)).document)
    const changeShowsInOutline =
      pinned !== undefined || isExtended || !Bun.deepEquals(content.quantities, rfq.quantities)
    const orgIds = readersOfChange(rfq, await queries.listUnaware(tx, rfq.id, { changeShowsInOutline }))
    // A new expiry alone outdates no offer, as the extension.
    const name = isNewVersion ? 'amended' : 'extended'
    await emitRfqEvent(tx, name, rfq)
    changes.push({ ...caseChange(name, rfq), orgIds })
  }
  await followers.updateCases(tx, changes, now)
  return documents
}

interface Amended {
  rfq: Rfq
  content: RfqContent
  /** The content of an amendment of the expiry alone. */
  extended: RfqContent
}

/** The RFQ as the guards see it after the amendment. Its expiry is given to them apart. */
function afterAmendment(
  { requestedDeliveryDate: _, ...rfq }: Rfq,
  { quantities, requestedDeliveryDate }: RfqContent,
): Rfq {
  return { ...rfq, quantities, ...(requestedDeliveryDate !== undefined && { requestedDeliveryDate }) }
}

/** What an amendment makes of one RFQ. */
const changeOf = ({ rfq, content, extended }: Amended, changesPartOrFiles: boolean) => ({
  isNewVersion: changesPartOrFiles || !Bun.deepEquals(extended, content),
  isExtended: content.expireTime !== rfq.expireTime,
})

function requireRoomForVersion(rfq: Rfq): void {
  if (!hasTooManyAmendments(rfq)) return
  throw refuse('limit_reached', { detail: `An RFQ has at most ${MAX_AMENDMENTS} amendments of more than its expiry.` })
}
