import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/identity/passkeys.ts'
import * as signIns from '../../../proto/http/identity/sign-in.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import { browserCookie, browserTokenOf } from '../../kit/http/browser-cookie.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { mayManageSessions } from '../sessions/rules.ts'
import type { CountSignIn } from '../tokens/metrics.ts'
import type { TokenDeps } from '../tokens/open-session.ts'
import * as commands from './commands.ts'
import { findPasskey, listPasskeys } from './queries.ts'
import { CHALLENGE_MS, proofProblems, relyingPartyOf } from './rules.ts'
import * as signIn from './sign-in.ts'

interface Deps {
  http: Http
  pagination: Pagination
  tokens: TokenDeps
  countSignIn: CountSignIn
  publicUrl: string
  now: () => string
}

export const passkeyRoutes = ({ http, pagination, tokens, countSignIn, publicUrl, now }: Deps) => {
  const rp = relyingPartyOf(publicUrl)
  const { sql, hashing } = tokens
  const deps = { sql, hashing, now, rp }
  const ofSignIn = { tokens, rp }
  const bound = ({ answer, browserToken }: { answer: object; browserToken?: string }) =>
    new Raw(
      JSON.stringify(answer),
      'application/json',
      browserToken === undefined
        ? {}
        : { 'set-cookie': browserCookie(publicUrl, browserToken, CHALLENGE_MS / 1000, 'passkey') },
    )
  const browserOf = (request: Request) => browserTokenOf(request, publicUrl, 'passkey')
  return new Elysia({ name: 'identity.passkeys' })
    .use(
      http.route(operations.listPasskeys, async (context) => {
        const { caller, query } = context
        const { orgId } = caller
        const userId = query.userId ?? caller.userId
        if (!mayManageSessions(caller, userId)) requirePermission(caller, ['user:manage'])
        return pagination.items(
          context,
          `passkeys ${userId}`,
          (window, read) => read((reads) => listPasskeys(reads, { rpId: rp.id, orgId, userId, ...window })),
          positionOfId,
        )
      }),
    )
    .use(
      http.route(operations.getPasskey, async ({ caller: { orgId, userId }, params, read }) =>
        withoutNulls(found(await read((reads) => findPasskey(reads, { rpId: rp.id, orgId, userId }, params.id)))),
      ),
    )
    .use(http.command(operations.confirmWithPasskey, (call) => commands.confirm(deps, call)))
    .use(
      http.preparedCommand(operations.startPasskey, {
        checkBody: proofProblems,
        prepare: (call) => commands.proveOneself(deps, call),
        run: (call) => commands.start(deps, call),
      }),
    )
    .use(
      http.preparedCommand(operations.createPasskey, {
        prepare: (call) => commands.prepareCreation(deps, call),
        run: (call) => commands.create(deps, call),
      }),
    )
    .use(http.command(operations.patchPasskey, (call) => commands.rename(deps, call)))
    .use(http.command(operations.deletePasskey, (call) => commands.remove(deps, call)))
    .use(
      http.publicRoute(signIns.signInWithPassword, ({ body, auditContext, request: { signal } }) =>
        countSignIn('password', async () =>
          bound(await signIn.signInWithPassword(ofSignIn, { ...body, auditContext, signal })),
        ),
      ),
    )
    .use(
      http.publicRoute(signIns.startPasskeySignIn, async ({ auditContext }) =>
        bound(await signIn.startPasskeySignIn(ofSignIn, auditContext)),
      ),
    )
    .use(
      http.publicRoute(signIns.signInWithPasskey, ({ body, request, auditContext }) =>
        countSignIn('passkey', () =>
          signIn.signInWithPasskey(ofSignIn, {
            content: body.assertion,
            browserToken: browserOf(request),
            auditContext,
          }),
        ),
      ),
    )
    .use(
      http.publicRoute(signIns.signInWithFirstPasskey, ({ body, request, auditContext }) =>
        countSignIn('passkey', () =>
          signIn.signInWithFirstPasskey(ofSignIn, { content: body, browserToken: browserOf(request), auditContext }),
        ),
      ),
    )
}
