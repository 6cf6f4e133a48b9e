import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/notification-settings.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'
import { findOwnSettings, findSettings } from './queries.ts'

export const notificationSettingsRoutes = ({ http, sql }: { http: Http; sql: Pool }) =>
  new Elysia({ name: 'organization.notification-settings' })
    .use(
      http.route(operations.getNotificationSettings, async ({ caller }) =>
        found(await findSettings(sql, caller.orgId)),
      ),
    )
    .use(http.command(operations.patchNotificationSettings, commands.patchSettings))
    .use(
      http.route(operations.getOwnNotificationSettings, async ({ caller }) =>
        found(await findOwnSettings(sql, caller.orgId, caller.userId)),
      ),
    )
    .use(http.command(operations.patchOwnNotificationSettings, commands.patchOwnSettings))
