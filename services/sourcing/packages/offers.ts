import type { Offer, OfferInput } from '../../../proto/http/sourcing/offers.ts'
import type * as api from '../../../proto/http/sourcing/rfq-package-offers.ts'
import { noSuch } from '../../../proto/messages.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, invalidField } from '../../kit/errors/refusal.ts'
import * as offers from '../offers/commands.ts'
import { type Invited, lockWithRfq, requireLegal } from '../offers/locked-offer.ts'
import { findOffer } from '../offers/queries.ts'
import { contentOf } from '../offers/rules.ts'
import type { RfqChange, RfqDeps } from '../rfqs/followers.ts'
import { inRows, offersOfCsv } from './offer-csv.ts'
import * as queries from './queries.ts'
import { Refusals } from './refusals.ts'

/** Drafts offers for lines of a package, or submits them, all or none. */
export async function offerForPackage(
  deps: RfqDeps,
  call: CommandOf<typeof api.offerForRfqPackage>,
): Promise<{ items: Offer[] }> {
  const { tx, caller, params, body, query, audit } = call
  const submits = body.submit ?? query.submit ?? false
  if (submits) requirePermission(caller, ['offer:submit'])
  const { currency } = found(await queries.findInvitedPackage(tx, caller.orgId, params.id))
  const { lines, rows } = body.csv === undefined ? { lines: body.lines ?? [] } : offersOfCsv(body.csv, currency)
  const items = await inRows(rows, () => offerForLines(deps, call, lines, submits))
  audit.add({ submit: submits, offerIds: items.map(({ id }) => id) })
  return { items }
}

interface Drafted {
  rfqId: string
  name: string
  offerId: string
}

async function offerForLines(
  deps: RfqDeps,
  { tx, caller, params, now }: CommandOf<typeof api.offerForRfqPackage>,
  lines: readonly OfferInput[],
  submits: boolean,
): Promise<Offer[]> {
  const own = new Set((await queries.listInvitedIds(tx, caller.orgId, params.id)).map(({ id }) => id))
  // RFQs are locked in the order of their ids, as by every command that locks several.
  const ordered = lines
    .map((content, index) => ({ content, name: `lines.${index}`, rfqId: content.rfqId }))
    .toSorted((a, b) => (a.rfqId < b.rfqId ? -1 : 1))

  const invited = new Map<string, Invited>()
  const references = new Refusals()
  for (const line of ordered) {
    // The sentence of a refusal names only RFQs that exist.
    const named = own.has(line.rfqId) ? line : { name: line.name }
    const invitation = await references.collect(named, async () => {
      if (!own.has(line.rfqId)) throw invalidField('rfqId', unknownLine(line.rfqId))
      return offers.requireReferences(tx, caller.orgId, line.content)
    })
    if (invitation) invited.set(line.rfqId, invitation)
  }
  references.throwIfAny()

  const drafts: Drafted[] = []
  const drafting = new Refusals()
  for (const line of ordered) {
    const invitation = invited.get(line.rfqId) as Invited
    const offerId = await drafting.collect(line, () => draftLine(deps, tx, caller, invitation, line.content, now))
    if (offerId !== undefined) drafts.push({ rfqId: line.rfqId, name: line.name, offerId })
  }
  drafting.throwIfAny()

  if (submits) await submitAll(deps, tx, caller.orgId, drafts, now)
  const documents = new Map<string, Offer>()
  for (const { rfqId, offerId } of drafts) {
    documents.set(rfqId, JSON.parse(found(await findOffer(tx, caller.orgId, offerId)).document))
  }
  return lines.map(({ rfqId }) => documents.get(rfqId) as Offer)
}

const unknownLine = (id: string) => noSuch('RFQ', id, 'in this package to which your organization is invited')

/** Drafts the content of a line: in its draft, as a revision of its submitted offer, or as a new offer. */
async function draftLine(
  deps: RfqDeps,
  tx: Tx,
  caller: Caller,
  invitation: Invited,
  content: OfferInput,
  now: string,
): Promise<string> {
  const { orgId } = caller
  const { rfq } = invitation
  offers.requireInvitation(invitation, now)
  const [current] = await queries.findCurrentOffer(tx, orgId, rfq.id, now)
  if (current?.state === 'DRAFT') {
    const { row } = await lockWithRfq(tx, orgId, current.id)
    return (await offers.replaceContent(tx, orgId, row, contentOf(content), now)).id
  }
  await offers.requireRoom(tx, orgId, rfq.id)
  if (!current) return (await offers.insertDraft(tx, caller, rfq, content, now)).id
  await requireLegal(tx, 'revise', await lockWithRfq(tx, orgId, current.id), now)
  const revision = await offers.draftRevision(deps, tx, caller, current.id, now)
  return (await offers.replaceContent(tx, orgId, revision, contentOf(content), now)).id
}

/** Submits drafts. Their cases are updated last, as by every command. */
async function submitAll({ followers }: RfqDeps, tx: Tx, orgId: string, drafts: readonly Drafted[], now: string) {
  const changes: RfqChange[] = []
  const submitting = new Refusals()
  for (const line of drafts) {
    await submitting.collect(line, async () => {
      const locked = await lockWithRfq(tx, orgId, line.offerId)
      await requireLegal(tx, 'submit', locked, now)
      changes.push(...(await offers.submitLocked(tx, orgId, locked, now)).changes)
    })
  }
  submitting.throwIfAny()
  await followers.updateCases(tx, changes, now)
}
