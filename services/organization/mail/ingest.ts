import type { Envelope } from '../../../proto/events/envelope.ts'
import type { MailTopic } from '../../../proto/http/organization/mail-addresses.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Kit } from '../../kit/service/service.ts'
import { batchesOf } from '../../kit/worker/batches.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { type Addressed, appendItems } from './item-queries.ts'
import { MAX_ITEMS, REPEATABLE_KINDS } from './limits.ts'
import { mailedEventOf } from './mailed-events.ts'
import { listAdministrators, listConfirmed, listCreators, listReaders } from './queries.ts'
import { MAIL_SUBJECTS, type MailedEvent, type Notice, noticeOf, type Reader, RFQ_ROLES } from './rules.ts'

interface IngestDeps extends Pick<Kit, 'bus' | 'now'> {
  /** Time for which the items for one recipient are collected. */
  delayMs: number
}

export const MAIL_CONSUMER = 'mail'

/** Turns events into items of the mails for the confirmed addresses and the people of their organizations. */
export const mailIngest = ({ bus, now, delayMs }: IngestDeps): Worker =>
  bus.consume({
    name: MAIL_CONSUMER,
    subjects: MAIL_SUBJECTS,
    handleAll: (tx, events) => collect(tx, events, delayMs, now()),
  })

async function collect(tx: Tx, events: readonly Envelope[], delayMs: number, now: string): Promise<void> {
  const mailed = events.flatMap((event) => mailedEventOf(event, now) ?? [])
  if (mailed.length === 0) return
  const readerOf = await readersOf(tx, mailed)
  const all = mailed.flatMap((one) => {
    const found = noticeOf(one, readerOf(one))
    return found ? [{ orgId: one.orgId, recordIds: one.recordIds, ...found }] : []
  })
  if (all.length > 0) await notifyOrganizations(tx, all, delayMs, now)
}

/** Adds notices to the mails for the confirmed addresses of their organizations, and for the people they concern. */
export async function notifyOrganizations(
  tx: Tx,
  all: readonly OrgNotice[],
  delayMs: number,
  now: string,
): Promise<void> {
  const orgIds = [...new Set(all.map(({ orgId }) => orgId))]
  const addresses = await listConfirmed(tx, orgIds)
  const people = await peopleOf(tx, all, orgIds)
  const ofAddresses = addresses.flatMap(({ id, org_id: orgId, topics, confirmed_at: confirmed }) =>
    mailsOf(
      { orgId, recipientId: id },
      all.filter(
        (one) =>
          one.orgId === orgId && topics.includes(one.topic) && Date.parse(one.notice.time) >= Date.parse(confirmed),
      ),
    ),
  )
  const ofPeople = people.flatMap(({ person, notices }) => {
    const own = addresses.filter(({ org_id, email_key }) => org_id === person.org_id && email_key === person.email_key)
    const isAddressed = ({ topic }: OrgNotice) => own.some(({ topics }) => topics.includes(topic))
    const mine = notices.filter((one) => !isAddressed(one))
    return mailsOf({ orgId: person.org_id, recipientId: person.user_id }, mine)
  })
  // One statement cannot add to the same row twice.
  for (const round of roundsOf(ofAddresses)) await appendItems(tx, 'address_id', round, delayMs, now)
  for (const round of roundsOf(ofPeople)) await appendItems(tx, 'user_id', round, delayMs, now)
}

/** A notice for an organization, with its topic and the records that it is about. */
interface OrgNotice {
  orgId: string
  recordIds: readonly string[]
  topic: MailTopic
  notice: Notice
}

/**
 * The people to notify, each with what concerns them: administrators all of it, others the records that they created.
 */
async function peopleOf(tx: Tx, all: readonly OrgNotice[], orgIds: readonly string[]) {
  const administrators = await listAdministrators(tx, orgIds)
  const recordIds = [...new Set(all.flatMap((one) => one.recordIds))]
  const creators = recordIds.length === 0 ? [] : await listCreators(tx, recordIds, orgIds)
  const people = new Map([...administrators, ...creators].map((person) => [person.user_id, person]))
  const forAll = new Set(administrators.map(({ user_id: userId }) => userId))
  const created = Map.groupBy(creators, ({ user_id: userId }) => userId)
  return [...people].map(([userId, person]) => {
    const own = new Set(created.get(userId)?.map(({ record_id: recordId }) => recordId))
    const concerns = ({ orgId, recordIds }: OrgNotice) =>
      orgId === person.org_id && (forAll.has(userId) || recordIds.some((id) => own.has(id)))
    return { person, notices: all.filter(concerns) }
  })
}

const mailsOf = (to: { orgId: string; recipientId: string }, notices: readonly OrgNotice[]): Addressed[] =>
  batchesOf(withoutRepetitions(notices.map(({ notice }) => notice)), MAX_ITEMS).map((items) => ({
    id: newId('mail'),
    ...to,
    items,
  }))

async function readersOf(tx: Tx, mailed: readonly MailedEvent[]) {
  const rfqIds = [...new Set(mailed.flatMap(({ rfqId }) => rfqId ?? []))]
  const rows = rfqIds.length === 0 ? [] : await listReaders(tx, rfqIds, [...new Set(mailed.map(({ orgId }) => orgId))])
  const held = new Map(
    rows.map(({ rfq_id: rfqId, org_id: orgId, role, package_id: packageId }) => [
      `${rfqId} ${orgId} ${role}`,
      { role, packageId },
    ]),
  )
  return ({ rfqId, orgId }: MailedEvent): Reader | undefined =>
    RFQ_ROLES.map((role) => held.get(`${rfqId} ${orgId} ${role}`)).find((reader) => reader !== undefined)
}

/** What happens again to a record is one item of a mail. The messages of a case are counted in it. */
function withoutRepetitions(notices: readonly Notice[]): Notice[] {
  const items: Notice[] = []
  const placeOf = new Map<string, number>()
  for (const notice of notices) {
    const key = JSON.stringify({ ...notice, time: '', count: 0 })
    const place = REPEATABLE_KINDS.includes(notice.kind) ? undefined : placeOf.get(key)
    const present = place === undefined ? undefined : items[place]
    if (place === undefined || !present) placeOf.set(key, items.push(notice) - 1)
    else if (present.count !== undefined) {
      items[place] = { ...present, count: present.count + (notice.count ?? 0) }
    }
  }
  return items
}

/** Mails of which each round has at most one for a recipient. */
function roundsOf(mails: readonly Addressed[]): Addressed[][] {
  const rounds: Addressed[][] = []
  for (const ofRecipient of Map.groupBy(mails, ({ recipientId }) => recipientId).values()) {
    for (const [n, mail] of ofRecipient.entries()) rounds[n] = [...(rounds[n] ?? []), mail]
  }
  return rounds
}
