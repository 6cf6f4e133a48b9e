import type * as api from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import type { RfqPackage } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { amendRfqs } from '../rfqs/amendments.ts'
import { deleteDrafts, insertDrafts, requireConsistent } from '../rfqs/commands.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { type OwnRfq, requireSubscription } from '../rfqs/legality.ts'
import { moveRfqs } from '../rfqs/moves.ts'
import { findInvitees, lockParts, type PartRow } from '../rfqs/queries.ts'
import { contentOf, inviteeProblems, type RfqContent, releaseProblems } from '../rfqs/rules.ts'
import { emitPackageEvent } from './events.ts'
import { ownPackage } from './packages.ts'
import * as queries from './queries.ts'
import { eachLine, Refusals } from './refusals.ts'
import { draftProblem, type LineVerb, lineInputs, linesFor, nothingTo } from './rules.ts'

/** Creates a package with a draft for each line. */
export async function createPackage({
  tx,
  caller,
  body,
  now,
  audit,
}: CommandOf<typeof api.createRfqPackage>): Promise<RfqPackage> {
  const contents = lineInputs(body).map(contentOf)
  if (contents[0]) requireConsistent(contents[0])
  await requireInvitees(tx, caller.orgId, body)
  const parts = await requireParts(tx, caller.orgId, contents, body)
  const id = newIdAt('package', now)
  audit.add({ packageId: id })
  const { title, currency } = body
  const created = { id, consumerOrgId: caller.orgId, title, currency, createdBy: caller.userId }
  await queries.insertPackage(tx, created, now)
  await emitPackageEvent(tx, 'created', created)
  const drafts = contents.map((content, place) => ({
    content,
    part: parts.get(content.partId) as PartRow,
    line: { packageId: id, place },
  }))
  await insertDrafts(tx, caller, drafts, now)
  return ownPackage(tx, caller.orgId, id)
}

type Body = CommandOf<typeof api.createRfqPackage>['body']

/** Throws 400 for manufacturers that the consumer may not invite, of the package and of its lines. */
async function requireInvitees(tx: Tx, orgId: string, { manufacturerIds = [], lines }: Body): Promise<void> {
  const ids = [...new Set([manufacturerIds, ...lines.map((line) => line.manufacturerIds ?? [])].flat())]
  const invitees = ids.length === 0 ? [] : await findInvitees(tx, orgId, ids)
  requireValid([
    ...inviteeProblems(manufacturerIds, invitees),
    ...lines.flatMap(({ manufacturerIds: own = [] }, index) =>
      inviteeProblems(own, invitees).map(({ field, message }) => ({ field: `lines.${index}.${field}`, message })),
    ),
  ])
}

/** The parts of the lines, locked; 400 for those that the consumer may not name, 409 for missing subscriptions. */
async function requireParts(tx: Tx, orgId: string, contents: readonly RfqContent[], common: Body) {
  const ids = contents.map(({ partId }) => partId)
  const parts = new Map((await lockParts(tx, orgId, ids)).map((part) => [part.id, part]))
  requireValid(
    ids.flatMap((id, index) =>
      parts.has(id) ? [] : [{ field: `lines.${index}.partId`, message: noSuch('part', id) }],
    ),
  )
  const owners = [...parts.values()].map((part) => part.ip_owner_org_id)
  requireValid(releaseProblems(common, owners, orgId))
  const refusals = new Refusals()
  for (const [index, id] of ids.entries()) {
    await refusals.collect({ name: `lines.${index}.partId`, rfqId: id }, async () =>
      requireSubscription(parts.get(id) as PartRow),
    )
  }
  refusals.throwIfAny()
  return parts
}

/** Changes the title while every line is a draft. */
export async function patchPackage({
  tx,
  caller: { orgId },
  params: { id },
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchRfqPackage>): Promise<RfqPackage> {
  const { lines, row } = await lock(tx, orgId, id, { changes: true })
  requireMatch(ifMatch, await ownPackage(tx, orgId, id))
  requireDrafts(lines)
  if (body.title !== undefined && body.title !== row.title) {
    await queries.updateTitle(tx, orgId, id, body.title, now)
    await emitPackageEvent(tx, 'updated', row)
  }
  return ownPackage(tx, orgId, id)
}

/** Deletes a package with its drafts. */
export async function deletePackage({
  tx,
  caller: { orgId },
  params: { id },
  now,
}: CommandOf<typeof api.deleteRfqPackage>): Promise<undefined> {
  const { lines, row } = await lock(tx, orgId, id, { changes: true })
  requireDrafts(lines)
  await deleteDrafts(
    tx,
    lines.map(({ rfq }) => rfq),
    now,
  )
  await queries.deletePackage(tx, orgId, id)
  await emitPackageEvent(tx, 'deleted', row)
  return undefined
}

function requireDrafts(lines: readonly OwnRfq[]): void {
  const detail = draftProblem(lines.map(({ rfq }) => rfq))
  if (detail !== undefined) throw refuse('illegal_transition', { detail })
}

/** Moves the lines of a package by a verb of RFQs, all or none. */
export async function movePackage(
  verb: Exclude<LineVerb, 'amend'>,
  deps: RfqDeps,
  {
    tx,
    caller: { orgId },
    params: { id },
    body,
    ifMatch,
    now,
  }: CommandOf<
    | typeof api.publishRfqPackage
    | typeof api.extendRfqPackage
    | typeof api.closeRfqPackage
    | typeof api.cancelRfqPackage
  >,
): Promise<RfqPackage> {
  const { all, chosen } = await linesOf(tx, verb, { orgId, id, ifMatch, now })
  const { expireTime, reason }: FieldsOf<typeof body> = body ?? {}
  const rfqs = chosen.map(({ rfq }) => rfq)
  await moveRfqs(verb, deps, tx, rfqs, { expireTime, reason, now, eachRfq: eachLine(all) })
  return ownPackage(tx, orgId, id)
}

/** Amends the lines of a package, all or none. */
export async function amendPackage(
  deps: RfqDeps,
  { tx, caller: { orgId }, params: { id }, body, ifMatch, now }: CommandOf<typeof api.amendRfqPackage>,
): Promise<RfqPackage> {
  const { all, chosen } = await linesOf(tx, 'amend', { orgId, id, ifMatch, now })
  await amendRfqs(deps, tx, chosen, body, { now, eachRfq: eachLine(all) })
  return ownPackage(tx, orgId, id)
}

interface Wanted extends Pick<CommandOf<typeof api.publishRfqPackage>, 'ifMatch' | 'now'> {
  orgId: string
  id: string
}

/** The locked lines to which a verb applies, among all; 409 where there is none. */
async function linesOf(
  tx: Tx,
  verb: LineVerb,
  { orgId, id, ifMatch, now }: Wanted,
): Promise<{ all: Rfq[]; chosen: OwnRfq[] }> {
  const { lines } = await lock(tx, orgId, id)
  if (ifMatch !== undefined) requireMatch(ifMatch, await ownPackage(tx, orgId, id))
  const all = lines.map(({ rfq }) => rfq)
  const ids = new Set(linesFor(verb, all, now).map((rfq) => rfq.id))
  if (ids.size === 0) throw refuse('illegal_transition', { detail: nothingTo(verb) })
  return { all, chosen: lines.filter(({ rfq }) => ids.has(rfq.id)) }
}

/** A package of the organization with its RFQs in the order of its lines, all locked in a fixed order. */
export async function lock(
  tx: Tx,
  orgId: string,
  id: string,
  { changes = false } = {},
): Promise<{ row: queries.PackageRow; lines: OwnRfq[] }> {
  const row = found(await queries.lockPackage(tx, orgId, id, { changes }))
  const locked = await queries.lockLines(tx, orgId, id)
  const lines = locked.toSorted((a, b) => a.place - b.place)
  return { row, lines: lines.map(({ document }) => ({ document, rfq: JSON.parse(document) })) }
}
