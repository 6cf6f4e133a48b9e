import type * as lifecycle from '../../../proto/http/sourcing/part-lifecycle.ts'
import type * as api from '../../../proto/http/sourcing/parts.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { PART } from '../../../proto/states/parts.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt, withSerialNumber } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { partEvent } from './events.ts'
import type { PartDeps } from './followers.ts'
import * as queries from './queries.ts'
import { lockReferences, resolveReferences } from './references.ts'
import { contentOf, GUARDS, patchedContent, referenceProblems, writableFields } from './rules.ts'

/** Creates a draft. The records that it refers to stay locked until the transaction ends. */
export async function createPart({ tx, caller, body, now, audit }: CommandOf<typeof api.createPart>) {
  await lockReferences(tx, caller.orgId)
  const content = contentOf(body)
  const resolved = await resolveReferences(tx, caller.orgId, content)
  requireValid(referenceProblems(content, resolved, body))

  const part = {
    id: newIdAt('part', now),
    ipOwnerOrgId: caller.orgId,
    technologyIds: resolved.process?.technologyIds ?? [],
  }
  const { serial_number: serialNumber } = await withSerialNumber('P', (serialNumber) =>
    queries.insertPart(tx, { ...part, serialNumber }, content, now),
  )
  await emit(tx, partEvent('created', part.id, caller.orgId))
  audit.add({ partId: part.id })
  return { id: part.id, serialNumber }
}

/** Changes the content of an own part. A patch without a change keeps the revision. */
export async function patchPart({
  tx,
  caller,
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof lifecycle.patchPart>): Promise<JsonText> {
  await lockReferences(tx, caller.orgId)
  const { document, part } = await lockOwn(tx, caller, params.id)
  const content = patchedContent(part, body)
  const resolved = await resolveReferences(tx, caller.orgId, content)
  requireValid(referenceProblems(content, resolved, body))
  requireMatch(ifMatch, document)
  await requireGuards(PART, 'patch', part.state, {
    guards: GUARDS,
    facts: async () => {
      const becomesPublic = part.internal && !content.internal
      const isConfidential = becomesPublic && (await queries.findConfidentialRfq(tx, part.id)).length > 0
      return { state: part.state, content, isConfidential }
    },
  })

  if (Bun.deepEquals(content, contentOf(writableFields(part)))) return new JsonText(document)
  const changed = { id: part.id, orgId: caller.orgId, technologyIds: resolved.process?.technologyIds ?? [] }
  const [row] = await queries.updateContent(tx, changed, content, now)
  await emit(tx, partEvent('updated', part.id, caller.orgId))
  return new JsonText(row?.document ?? document)
}

const EVENT_NAMES = { publish: 'published', archive: 'archived', unarchive: 'unarchived' } as const
type PartMove = keyof typeof EVENT_NAMES

/** Moves an own part to another state; of two concurrent calls one gets 409. */
export async function movePart(
  verb: PartMove,
  { tx, caller, params, ifMatch, now }: CommandOf<(typeof lifecycle)[`${PartMove}Part`]>,
): Promise<JsonText> {
  const { document, part } = await lockOwn(tx, caller, params.id)
  requireMatch(ifMatch, document)
  await requireGuards(PART, verb, part.state, {
    guards: GUARDS,
    facts: () => part,
    detail: 'Required fields of a published part are missing.',
  })
  const moved = found(await queries.moveState(tx, caller.orgId, part.id, PART.verbs[verb].to, now))
  await emit(tx, partEvent(EVENT_NAMES[verb], part.id, caller.orgId))
  return new JsonText(moved.document)
}

/**
 * Deletes an own part without an OPEN or CLOSED RFQ or unfinished order. Publications and awards also lock the part.
 */
export async function deletePart(
  { followers }: PartDeps,
  { tx, caller, params, now }: CommandOf<typeof lifecycle.deletePart>,
): Promise<undefined> {
  const { part } = await lockOwn(tx, caller, params.id)
  await requireGuards(PART, 'delete', part.state, {
    guards: GUARDS,
    facts: async () => ({
      liveRfqs: (await queries.findLiveRfq(tx, part.id)).length,
      unfinishedOrders: (await queries.findUnfinishedOrder(tx, part.id)).length,
    }),
    code: 'conflict',
  })
  const { id } = found(await queries.deletePart(tx, caller.orgId, part.id))
  await followers.endSubscriptions(tx, id, now)
  await emit(tx, partEvent('deleted', id, caller.orgId))
  return undefined
}

/** A part of the caller's organization, locked until the transaction ends. */
async function lockOwn(tx: Tx, caller: Caller, id: string): Promise<{ document: string; part: Part }> {
  const { document } = found(await queries.lockOwnPart(tx, caller.orgId, id))
  return { document, part: JSON.parse(document) }
}
