import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/factories.ts'
import * as administration from '../../../proto/http/sourcing/factory-administration.ts'
import { batchOf, documentOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { addressProblems } from '../regions/regions.ts'
import * as commands from './commands.ts'
import { findPage, listOf } from './list.ts'
import { releasesPage } from './list-releases.ts'
import { findFactories, findFactory } from './queries.ts'
import * as releases from './releases.ts'
import { readerOf } from './rules.ts'

export const factoryRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.factories' })
    .use(
      http.route(operations.listFactories, async (context) => {
        const { source, filters } = await listOf(context, context.query)
        return pagination.json(context, 'factories', async (window, read) =>
          filters ? findPage(context, read, source, filters, window) : [],
        )
      }),
    )
    .use(
      http.route(operations.getFactory, async ({ caller, params, read }) => {
        const reader = readerOf(caller)
        return documentOf(await read((sql) => findFactory(sql, caller.orgId, reader, params.id)))
      }),
    )
    .use(
      http.route(operations.batchGetFactories, async ({ caller, body, read }) => {
        const reader = readerOf(caller)
        const rows = await read((sql) => findFactories(sql, caller.orgId, reader, body.ids))
        return batchOf(body.ids, rows)
      }),
    )
    .use(
      http.route(administration.listFactoryReleases, (context) =>
        pagination.json(context, 'factory releases', (window, read) =>
          releasesPage(context, read, context.query, window),
        ),
      ),
    )
    .use(http.command(administration.createFactory, commands.createFactory, { checkBody: addressProblems }))
    .use(http.command(administration.patchFactory, commands.patchFactory, { checkBody: addressProblems }))
    .use(http.command(administration.replaceFactoryCapabilities, commands.replaceCapabilities))
    .use(http.command(administration.activateFactory, (call) => commands.moveFactory('activate', call)))
    .use(http.command(administration.deactivateFactory, (call) => commands.moveFactory('deactivate', call)))
    .use(http.command(administration.releaseFactory, releases.releaseFactory))
    .use(http.command(administration.withdrawFactory, releases.withdrawFactory))
