import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed } from '../shapes.ts'
import { CONFIRMATION_HOURS } from './mail-addresses.ts'
import { LINK_LIMITS } from './users.ts'

const tag = defineTag('Notification settings', 'Who in your organization receives e-mail notifications.')

const administrators = Type.Boolean({
  description:
    'Whether the administrators of your organization, at most ten, receive its notifications while it has no confirmed mail address.',
  examples: [true],
})
const mail = Type.Boolean({
  description:
    'Whether you receive notifications about the RFQs, offers, orders and cases that you created, and those for administrators.',
  examples: [true],
})

export const NotificationSettings = closed({ administrators }, { description: 'Notifications of an organization.' })
export type NotificationSettings = Static<typeof NotificationSettings>
export const NotificationSettingsPatch = Type.Partial(closed({ administrators }))

const proved = Type.Boolean({
  description:
    'Whether you have confirmed your address through a link mailed to it. Until then you receive no notifications.',
  examples: [true],
})
const reachable = Type.Boolean({
  description:
    "Whether mail reaches you: your address is confirmed, either by you or as one of your organization's mail addresses. Absent if this marketplace sends no mail.",
  examples: [true],
})
export const OwnNotificationSettings = closed(
  { mail, proved, reachable: Type.Optional(reachable) },
  { description: 'Notifications of the caller.' },
)
export type OwnNotificationSettings = Static<typeof OwnNotificationSettings>
export const OwnNotificationSettingsPatch = Type.Partial(closed({ mail }))

const path = '/flows/v1/notification-settings'
const ownPath = '/flows/v1/me/notification-settings'

export const getNotificationSettings = defineOperation({
  id: 'getNotificationSettings',
  method: 'GET',
  path,
  tag,
  summary: "Get your organization's notification settings",
  description: 'Who is notified while your organization has no confirmed mail address.',
  access: 'org:admin',
  response: NotificationSettings,
  etag: true,
})

export const patchNotificationSettings = defineOperation({
  id: 'patchNotificationSettings',
  method: 'PATCH',
  path,
  tag,
  summary: "Change your organization's notification settings",
  description: 'Changes the fields that are sent.',
  access: 'org:admin',
  body: NotificationSettingsPatch,
  response: NotificationSettings,
  ifMatch: true,
  changesAuthority: true,
  audit: { procedure: 'notificationSettings.patch', request: ['administrators'] },
})

export const getOwnNotificationSettings = defineOperation({
  id: 'getOwnNotificationSettings',
  method: 'GET',
  path: ownPath,
  tag,
  summary: 'Get your own notification settings',
  description: 'They concern mails to your own address.',
  access: 'token',
  response: OwnNotificationSettings,
  etag: true,
})

export const patchOwnNotificationSettings = defineOperation({
  id: 'patchOwnNotificationSettings',
  method: 'PATCH',
  path: ownPath,
  tag,
  summary: 'Change your own notification settings',
  description: 'The link in each mail also turns them off.',
  access: 'token',
  body: OwnNotificationSettingsPatch,
  response: OwnNotificationSettings,
  ifMatch: true,
  changesAuthority: true,
  audit: { procedure: 'ownNotificationSettings.patch', request: ['mail'] },
})

export const sendOwnConfirmation = defineOperation({
  id: 'sendOwnConfirmation',
  method: 'POST',
  path: `${ownPath}/send-confirmation`,
  tag,
  summary: 'Prove your address',
  description: `A link is mailed to your address and works within ${CONFIRMATION_HOURS} hours; an earlier one is void. A recipient gets ${LINK_LIMITS}.`,
  access: 'token',
  response: OwnNotificationSettings,
  refusals: ['conflict', 'limit_reached', 'mail_unavailable'],
  changesAuthority: true,
  audit: { procedure: 'ownNotificationSettings.sendConfirmation', request: [] },
})
