import { HOUR_MS, timeAfter } from '../../../proto/durations.ts'
import { CONFIRMATION_HOURS } from '../../../proto/http/organization/mail-addresses.ts'
import type * as api from '../../../proto/http/organization/notification-settings.ts'
import type {
  NotificationSettings,
  OwnNotificationSettings,
} from '../../../proto/http/organization/notification-settings.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { findUser } from '../authority/queries.ts'
import type { MailLinks } from '../mail/links.ts'
import { dropMailsTo } from '../mail/queries.ts'
import * as queries from './queries.ts'

/** The organization is locked. A patch without a change emits no event. */
export async function patchSettings({
  tx,
  caller: { orgId },
  body,
  ifMatch,
}: CommandOf<typeof api.patchNotificationSettings>): Promise<NotificationSettings> {
  const settings = found(await queries.findSettings(tx, orgId))
  requireMatch(ifMatch, settings)
  const { administrators = settings.administrators } = body
  if (administrators === settings.administrators) return settings
  await queries.updateSettings(tx, orgId, administrators)
  await emitChanged(tx, orgId)
  return { administrators }
}

/** Whether mail reaches the user is shown only where the marketplace sends any. */
export async function readOwnSettings({ sendsMail }: MailLinks, sql: Sql, orgId: string, userId: string) {
  const { reachable, ...settings } = found(await queries.findOwnSettings(sql, orgId, userId))
  return { ...settings, ...(sendsMail && { reachable }) }
}

/** The organization is locked. A patch without a change emits no event. */
export async function patchOwnSettings(
  links: MailLinks,
  { tx, caller: { orgId, userId }, body, ifMatch, now }: CommandOf<typeof api.patchOwnNotificationSettings>,
): Promise<OwnNotificationSettings> {
  const settings = await readOwnSettings(links, tx, orgId, userId)
  requireMatch(ifMatch, settings)
  const { mail = settings.mail } = body
  if (mail === settings.mail) return settings
  await queries.upsertOwnSettings(tx, userId, mail)
  if (!mail) await dropMailsTo(tx, userId, now)
  await emitChanged(tx, orgId, userId)
  return { ...settings, mail }
}

/** Mails a link to the caller, whose use proves the address. The organization is locked. */
export async function sendOwnConfirmation(
  links: MailLinks,
  { tx, caller: { orgId, userId }, now }: CommandOf<typeof api.sendOwnConfirmation>,
): Promise<OwnNotificationSettings> {
  const settings = await readOwnSettings(links, tx, orgId, userId)
  const { kind, email } = found(await findUser(tx, orgId, userId))
  if (kind !== 'PERSON') throw refuse('conflict', { detail: 'A service account has no mailbox.' })
  if (settings.proved) throw refuse('conflict', { detail: 'The address is already confirmed.' })
  const { token, hash } = newSecretToken()
  const until = timeAfter(now, CONFIRMATION_HOURS * HOUR_MS)
  await dropMailsTo(tx, userId, now)
  await queries.upsertConfirmation(tx, userId, hash, until)
  await links.send(tx, { kind: 'CONFIRMATION', orgId, userId, email, token }, now)
  await emitChanged(tx, orgId, userId)
  return settings
}

/** Proves the address of the user of a confirmation link; undefined for another token. */
export async function proveByLink(tx: Tx, token: string, now: string) {
  const [proved] = await queries.proveByToken(tx, hashOf(token), now)
  if (!proved) return undefined
  const { user_id: userId, org_id: orgId } = proved
  await emitChanged(tx, orgId, userId)
  return { userId, orgId }
}

/** Switches off the notifications of the user of a link; undefined for an unknown or repeated one. */
export async function disableByLink(tx: Tx, unsubscribeToken: string, now: string) {
  const [disabled] = await queries.disableByToken(tx, unsubscribeToken)
  if (!disabled) return undefined
  const { user_id: userId, org_id: orgId } = disabled
  await dropMailsTo(tx, userId, now)
  await emitChanged(tx, orgId, userId)
  return { userId, orgId }
}

const emitChanged = (tx: Tx, orgId: string, userId?: string) =>
  emit(tx, {
    type: 'organization.notificationSettings.changed',
    tenantId: orgId,
    subject: userId ?? orgId,
    data: { orgId, ...(userId === undefined ? {} : { userId }) },
  })
