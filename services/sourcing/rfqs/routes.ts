import { Elysia } from 'elysia'
import type { FieldError } from '../../../proto/errors.ts'
import * as lifecycle from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/rfqs.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Log } from '../../kit/log/log.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listHistory } from '../history/queries.ts'
import type { PageReads } from '../page-reads.ts'
import { deliveryProblems } from '../regions/regions.ts'
import * as commands from './commands.ts'
import { declineRfq, readRfq } from './invitations.ts'
import { findPage } from './list.ts'
import { findOwnRfq, findRfq, listHistoryFor, listInvitations, listPartyHistory } from './queries.ts'
import { expiryProblems } from './rules.ts'

type Deps = commands.CommandDeps & PageReads & { http: Http; pagination: Pagination; sql: Pool; log: Log }

const contentProblems = (body: { expireTime?: string; deliveryRegionCode?: string }): FieldError[] => [
  ...expiryProblems(body),
  ...deliveryProblems(body),
]

export const rfqRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.rfqs' })
    .use(
      http.route(operations.listRfqs, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        const now = new Date(deps.clock()).toISOString()
        const paged = { caller, list: 'rfqs', query }
        return pagination.json(paged, (window) => findPage(deps, reader, { ...query, ...window, now }))
      }),
    )
    .use(http.route(operations.getRfq, (call) => readRfq(deps, call)))
    .use(
      http.route(operations.listRfqHistory, async ({ caller: { orgId, sessionId }, params: { id }, query }) => {
        const { reader } = found(await deps.reads.query((sql) => findRfq(sql, orgId, id)))
        const paged = { caller: { sessionId }, list: `history ${id} ${reader}`, query }
        return pagination.json(paged, (window) => {
          if (reader === 'CONSUMER') return listHistory(deps.sql, id, window)
          if (reader === 'IP_OWNER') return listPartyHistory(deps.sql, id, window)
          return listHistoryFor(deps.sql, id, orgId, window)
        })
      }),
    )
    .use(
      http.route(lifecycle.listRfqInvitations, async ({ caller, params, query }) => {
        const { id } = found(await deps.reads.query((sql) => findOwnRfq(sql, caller.orgId, params.id)))
        const paged = { caller, list: `invitations ${id}`, query }
        return pagination.json(paged, (window) => deps.reads.query((sql) => listInvitations(sql, id, window)))
      }),
    )
    .use(http.route(lifecycle.createRfq, (call) => commands.createRfq(deps, call), contentProblems))
    .use(http.route(lifecycle.patchRfq, (call) => commands.patchRfq(deps, call), contentProblems))
    .use(http.route(lifecycle.publishRfq, (call) => commands.moveRfq(deps, 'publish', call)))
    .use(http.route(lifecycle.inviteToRfq, (call) => commands.inviteToRfq(deps, call)))
    .use(
      http.route(
        lifecycle.extendRfq,
        (call) => commands.moveRfq(deps, 'extend', { ...call, ...call.body }),
        expiryProblems,
      ),
    )
    .use(http.route(lifecycle.closeRfq, (call) => commands.moveRfq(deps, 'close', call)))
    .use(
      http.route(
        lifecycle.reopenRfq,
        (call) => commands.moveRfq(deps, 'reopen', { ...call, ...call.body }),
        expiryProblems,
      ),
    )
    .use(http.route(lifecycle.cancelRfq, (call) => commands.moveRfq(deps, 'cancel', { ...call, ...call.body })))
    .use(http.route(lifecycle.declineRfq, (call) => declineRfq(deps, call)))
    .use(http.route(lifecycle.deleteRfq, (call) => commands.deleteRfq(deps, call)))
