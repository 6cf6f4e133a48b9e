import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/rfqs.ts'
import { emailProblems } from '../../kit/addresses/email-addresses.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Log } from '../../kit/log/log.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { listHistory } from '../history/queries.ts'
import { deliveryProblems } from '../regions/regions.ts'
import { picturedRecords } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { amendRfq, prepareAmendment } from './amendments.ts'
import * as commands from './commands.ts'
import type { RfqDeps } from './followers.ts'
import { declineRfq, readRfq } from './invitations.ts'
import { findPage } from './list.ts'
import { moveRfq } from './moves.ts'
import { findOwnRfq, findRfq, listHistoryFor, listInvitations, listPartyHistory } from './queries.ts'
import { invitationProblems } from './rules.ts'

interface Deps extends RfqDeps, RouteKit {
  sql: Pool
  log: Log
  pictures: Pictures
  /** Called when a document may have been added as PENDING. */
  onPending: () => void
}

export const rfqRoutes = ({ http, pagination, onPending, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.rfqs' })
    .use(
      http.route(operations.listRfqs, (context) => {
        const { query, now } = context
        return pagination.json(context, 'rfqs', async (window, read) =>
          picturedRecords(await findPage(context, read, { ...query, ...window, now }), {
            pictures: deps.pictures,
            reader: context,
          }),
        )
      }),
    )
    .use(http.route(operations.getRfq, (call) => readRfq(deps, call)))
    .use(
      http.route(operations.listRfqHistory, async (context) => {
        const { caller, params, read } = context
        const { orgId } = caller
        const { id } = params
        const { reader } = found(await read((sql) => findRfq(sql, orgId, id)))
        return pagination.json(context, `history ${id} ${reader}`, (window, readPage) =>
          readPage((sql) => {
            if (reader === 'CONSUMER') return listHistory(sql, id, window)
            return reader === 'IP_OWNER'
              ? listPartyHistory(sql, id, orgId, window)
              : listHistoryFor(sql, id, orgId, window)
          }),
        )
      }),
    )
    .use(
      http.route(lifecycle.listRfqInvitations, (context) =>
        pagination.ofRecord(context, 'invitations', findOwnRfq, listInvitations),
      ),
    )
    .use(http.command(lifecycle.createRfq, commands.createRfq, { checkBody: deliveryProblems }))
    .use(http.command(lifecycle.patchRfq, commands.patchRfq, { checkBody: deliveryProblems }))
    .use(http.command(lifecycle.publishRfq, (call) => moveRfq('publish', deps, call)))
    .use(
      http.command(lifecycle.inviteToRfq, (call) => commands.inviteToRfq(deps, call), {
        checkBody: (body) => [
          ...invitationProblems(body),
          ...(body.emails ?? []).flatMap((email, place) => emailProblems(email, `emails.${place}`)),
        ],
      }),
    )
    .use(
      http.preparedCommand(lifecycle.amendRfq, {
        checkBody: deps.followers.findRfqFileProblems,
        prepare: (call) => prepareAmendment(deps, call),
        run: (call) => amendRfq(deps, call),
        // A document may have to be copied and read by the worker.
        afterCommit: onPending,
      }),
    )
    .use(http.command(lifecycle.extendRfq, (call) => moveRfq('extend', deps, call)))
    .use(http.command(lifecycle.closeRfq, (call) => moveRfq('close', deps, call)))
    .use(http.command(lifecycle.reopenRfq, (call) => moveRfq('reopen', deps, call)))
    .use(http.command(lifecycle.cancelRfq, (call) => moveRfq('cancel', deps, call)))
    .use(http.command(lifecycle.declineRfq, (call) => declineRfq(deps, call)))
    .use(http.command(lifecycle.deleteRfq, commands.deleteRfq))
