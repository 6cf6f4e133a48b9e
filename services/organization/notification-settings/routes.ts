import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/notification-settings.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { MailLinks } from '../mail/links.ts'
import * as commands from './commands.ts'
import { findSettings } from './queries.ts'

export const notificationSettingsRoutes = ({ http, links }: { http: Http; links: MailLinks }) =>
  new Elysia({ name: 'organization.notification-settings' })
    .use(
      http.route(operations.getNotificationSettings, async ({ caller, read }) =>
        found(await read((sql) => findSettings(sql, caller.orgId))),
      ),
    )
    .use(http.command(operations.patchNotificationSettings, commands.patchSettings))
    .use(
      http.route(operations.getOwnNotificationSettings, ({ caller, read }) =>
        read((sql) => commands.readOwnSettings(links, sql, caller.orgId, caller.userId)),
      ),
    )
    .use(http.command(operations.patchOwnNotificationSettings, (call) => commands.patchOwnSettings(links, call)))
    .use(http.command(operations.sendOwnConfirmation, (call) => commands.sendOwnConfirmation(links, call)))
