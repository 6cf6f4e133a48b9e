import type * as api from '../../../proto/http/organization/mail-addresses.ts'
import {
  DEFAULT_TOPICS,
  type LinkedAddress,
  MAIL_TOPICS,
  MAX_MAIL_ADDRESSES,
  type MailAddress,
} from '../../../proto/http/organization/mail-addresses.ts'
import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import type { AuditEntry } from '../../kit/audit/entry.ts'
import { emit, emitAll } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { refuseTaken } from '../../kit/db/failures.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalidField, notFound, refuse, requireRoomFor } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import { lockStanding } from '../authority/authority.ts'
import type { MailLinks } from '../mail/links.ts'
import { dropMails } from '../mail/queries.ts'
import { disableByLink, proveByLink } from '../notification-settings/commands.ts'
import * as queries from './queries.ts'

export interface AddressDeps {
  links: MailLinks
}

/** Adds an address, which gets a link to confirm it. */
export async function createAddress(
  { links }: AddressDeps,
  { tx, caller: { orgId, userId: createdBy }, body, now, audit }: CommandOf<typeof api.createMailAddress>,
): Promise<MailAddress> {
  const email = emailAddressOf(body.email)
  if (email === undefined) throw invalidField('email', 'is not an e-mail address')
  await lockStanding(tx, orgId)
  requireRoomFor('mail addresses', MAX_MAIL_ADDRESSES, await queries.countAddresses(tx, orgId))
  const { token, hash } = newSecretToken()
  const id = newIdAt('maddr', now)
  const topics = topicsOf(body.topics ?? DEFAULT_TOPICS)
  const address = {
    id,
    orgId,
    email,
    topics,
    createdBy,
    confirmationHash: hash,
    unsubscribeToken: newSecretToken().token,
  }
  const isTaken = () =>
    refuse('conflict', {
      detail: 'This address is already registered.',
      errors: [{ field: 'email', message: 'is taken' }],
    })
  await queries.insertAddress(tx, address, now).catch(refuseTaken('mail_addresses_org_id_email_key_key', isTaken))
  await links.send(tx, { kind: 'CONFIRMATION', orgId, addressId: id, email, token }, now)
  audit.add({ mailAddressId: id })
  await emitChanged(tx, orgId, id)
  return { id, email, topics, confirmed: false, createdTime: now }
}

/** Each topic once, in the order of the contract. */
const topicsOf = (topics: readonly MailAddress['topics'][number][]) =>
  MAIL_TOPICS.filter((topic) => topics.includes(topic))

const emitChanged = (tx: Tx, orgId: string, mailAddressId: string) => emit(tx, changeOf({ id: mailAddressId, orgId }))

const changeOf = ({ id, orgId }: { id: string; orgId: string }) => ({
  type: 'organization.mailAddress.changed' as const,
  tenantId: orgId,
  subject: id,
  data: { mailAddressId: id, orgId },
})

/** Sends a new link to an address that is not confirmed; the earlier one is void. */
export async function sendConfirmation(
  { links }: AddressDeps,
  { tx, caller: { orgId }, params: { id }, now }: CommandOf<typeof api.sendMailAddressConfirmation>,
): Promise<MailAddress> {
  await lockStanding(tx, orgId)
  const address = found(await queries.lockAddress(tx, orgId, id))
  if (address.confirmed) throw refuse('conflict', { detail: 'The address is already confirmed.' })
  const { token, hash } = newSecretToken()
  await queries.renewConfirmation(tx, orgId, id, hash, now)
  await dropMails(tx, id, now)
  await links.send(tx, { kind: 'CONFIRMATION', orgId, addressId: id, email: address.email, token }, now)
  await emitChanged(tx, orgId, id)
  return withoutNulls(address)
}

export async function patchAddress({
  tx,
  caller: { orgId },
  params: { id },
  body,
  ifMatch,
}: CommandOf<typeof api.patchMailAddress>): Promise<MailAddress> {
  const address = found(await queries.lockAddress(tx, orgId, id))
  requireMatch(ifMatch, withoutNulls(address))
  const topics = topicsOf(body.topics ?? address.topics)
  if (Bun.deepEquals(topics, address.topics)) return withoutNulls(address)
  await queries.updateTopics(tx, orgId, id, topics)
  await emitChanged(tx, orgId, id)
  return withoutNulls({ ...address, topics })
}

export async function deleteAddress({
  tx,
  caller: { orgId },
  params: { id },
  now,
}: CommandOf<typeof api.deleteMailAddress>): Promise<undefined> {
  found(await queries.deleteAddress(tx, orgId, id))
  await dropMails(tx, id, now)
  await emitChanged(tx, orgId, id)
  return undefined
}

/** Removes the mail address of a user who is being anonymised. */
export async function forgetAddress(tx: Tx, orgId: string, userId: string, now: string): Promise<void> {
  for (const { id } of await queries.deleteAddressOfUser(tx, orgId, userId)) {
    await dropMails(tx, id, now)
    await emitChanged(tx, orgId, id)
  }
}

/** Removes the addresses that users added since a time and whose owners have not confirmed them. Returns their ids. */
export async function forgetUnconfirmed(
  tx: Tx,
  orgId: string,
  userIds: readonly string[],
  since: string,
  now: string,
): Promise<string[]> {
  const removed = (await queries.deleteUnconfirmedOf(tx, orgId, userIds, since)).map(({ id }) => id)
  for (const id of removed) {
    await dropMails(tx, id, now)
    await emitChanged(tx, orgId, id)
  }
  return removed
}

/** The address of a link. The caller proves with the token that it has the link. */
export async function introspectAddress(sql: Sql, token: string, now: string): Promise<LinkedAddress> {
  return found(await queries.findLinked(sql, token, hashOf(token), now))
}

/** Confirms an address with the token of its link. */
export async function confirmAddress(
  sql: Pool,
  token: string,
  auditContext: AuditContext,
  now: string,
): Promise<undefined> {
  await runWithoutCaller(sql, auditContext, async (tx, audit) => {
    const [confirmed] = await queries.confirmAddress(tx, hashOf(token), now)
    if (confirmed) {
      await recordByLink(tx, audit, confirmed)
      return
    }
    const user = await proveByLink(tx, token, now)
    if (!user) throw notFound()
    audit.actBy(user)
    audit.add({ userId: user.userId })
  })
}

/**
 * Ends the mails to an address or user with the token in them. A repetition succeeds, because mail programs may repeat
 * the request.
 */
export async function unsubscribe(
  sql: Pool,
  token: string,
  auditContext: AuditContext,
  now: string,
): Promise<undefined> {
  await runWithoutCaller(sql, auditContext, async (tx, audit) => {
    const [removed] = await queries.unsubscribeAddress(tx, token)
    if (removed) {
      await dropMails(tx, removed.id, now)
      await recordByLink(tx, audit, removed)
      return
    }
    const user = await disableByLink(tx, token, now)
    if (!user) return
    audit.actBy(user)
    audit.add({ userId: user.userId })
  })
}

/** The owner of the address may be no user, so the actor is the user who added it. */
async function recordByLink(tx: Tx, audit: AuditEntry, address: queries.LinkedAddress): Promise<void> {
  const { id, org_id: orgId, created_by: userId } = address
  audit.actBy({ userId, orgId })
  audit.add({ mailAddressId: id })
  await emitChanged(tx, orgId, id)
}

/** Removes the addresses that were not confirmed in time. */
export const cleanUpAddresses = (sql: Pool, now: string, signal: AbortSignal) =>
  inBatches({ limit: 1000, signal }, (limit) =>
    sql.begin(async (tx) => {
      const removed = await queries.deleteUnconfirmed(tx, now, limit)
      await emitAll(
        tx,
        removed.map(({ id, org_id: orgId }) => changeOf({ id, orgId })),
      )
      return { count: removed.length }
    }),
  )
