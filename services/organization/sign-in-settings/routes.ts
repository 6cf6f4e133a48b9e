import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/sign-in-settings.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { patchSettings } from './commands.ts'
import { findSettings } from './queries.ts'

export const signInSettingsRoutes = ({ http, publicUrl }: { http: Http; publicUrl: string }) =>
  new Elysia({ name: 'organization.sign-in-settings' })
    .use(
      http.route(operations.getSignInSettings, async ({ caller, read }) =>
        found(await read((sql) => findSettings(sql, caller.orgId))),
      ),
    )
    .use(http.command(operations.patchSignInSettings, (call) => patchSettings({ publicUrl }, call)))
