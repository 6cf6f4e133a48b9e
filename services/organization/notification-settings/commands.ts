import type { NotificationSettingsChanged } from '../../../proto/events/organization.ts'
import type {
  NotificationSettings,
  NotificationSettingsPatch,
  OwnNotificationSettings,
  OwnNotificationSettingsPatch,
} from '../../../proto/http/organization/notification-settings.ts'
import { type EventAttributes, emit } from '../../kit/bus/outbox/emit.ts'
import type { Command } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSecretToken } from '../../kit/db/ids.ts'
import { found } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { dropMailsTo } from '../mail/queries.ts'
import * as queries from './queries.ts'

interface Patch<Body> {
  body: Body
  ifMatch: string | undefined
}

/** The organization is locked. A patch without a change emits no event. */
export async function patchSettings({
  tx,
  caller: { orgId },
  body,
  ifMatch,
}: Command<Patch<NotificationSettingsPatch>>): Promise<NotificationSettings> {
  const settings = found(await queries.findSettings(tx, orgId))
  requireMatch(ifMatch, settings)
  const { administrators = settings.administrators } = body
  if (administrators === settings.administrators) return settings
  await queries.updateSettings(tx, orgId, administrators)
  await emitChanged(tx, orgId)
  return { administrators }
}

/** The organization is locked. A patch without a change emits no event. */
export async function patchOwnSettings({
  tx,
  caller: { orgId, userId },
  body,
  ifMatch,
  now,
}: Command<Patch<OwnNotificationSettingsPatch>>): Promise<OwnNotificationSettings> {
  const settings = found(await queries.findOwnSettings(tx, orgId, userId))
  requireMatch(ifMatch, settings)
  const { mail = settings.mail } = body
  if (mail === settings.mail) return settings
  await queries.upsertOwnSettings(tx, userId, mail, newSecretToken().token)
  if (!mail) await dropMailsTo(tx, userId, now)
  await emitChanged(tx, orgId, userId)
  return { mail }
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
  } satisfies NotificationSettingsChanged & EventAttributes)
