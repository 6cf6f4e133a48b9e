import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/email-invitations.ts'
import { found } from '../../kit/errors/refusal.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { findOwnRfq } from '../rfqs/queries.ts'
import * as commands from './commands.ts'
import { listInvitations } from './queries.ts'

type Deps = RfqDeps & RouteKit

export const emailInvitationRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.email-invitations' })
    .use(
      http.route(operations.listEmailInvitations, async (context) => {
        const { caller, params, read, now } = context
        const { id } = found(await read((sql) => findOwnRfq(sql, caller.orgId, params.id)))
        const { items, hasMore } = await pagination.page(
          context,
          `e-mail invitations ${id}`,
          (window, readPage) => readPage((sql) => listInvitations(sql, id, window)),
          positionOfId,
        )
        return { items: items.map((row) => commands.shownInvitation(row, now)), hasMore }
      }),
    )
    .use(http.command(operations.confirmEmailInvitation, (call) => commands.confirmEmailInvitation(deps, call)))
    .use(http.command(operations.revokeEmailInvitation, commands.revokeEmailInvitation))
    .use(
      http.publicRoute(operations.introspectEmailInvitation, ({ body, now, read }) =>
        read((sql) => commands.introspectEmailInvitation(sql, body.token, now)),
      ),
    )
    .use(http.command(operations.redeemEmailInvitation, commands.redeemEmailInvitation))
