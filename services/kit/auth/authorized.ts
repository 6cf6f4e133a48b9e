import type { Procedure } from '../../../proto/procedures.ts'
import type { Pool, Tx } from '../db/client.ts'
import { type Caller, callerFrom } from './caller.ts'
import { findCaller, lockOrganization } from './queries.ts'
import { unauthorized } from './tokens.ts'

declare const authorized: unique symbol

/**
 * The transaction of a command whose sender was authorized in it. An audit entry of a success needs one, so a command that
 * begins its transaction without the check does not compile.
 */
export type AuthorizedTx = Tx & { readonly [authorized]: true }

/** Begins the transaction of a command with the caller as read in it. Throws 401 or 403 before the work starts. */
export type BeginCommand = <T>(work: (tx: AuthorizedTx, caller: Caller) => Promise<T>) => Promise<T>

/** Begins a transaction and authorizes its sender with its first statements. */
export const beginAuthorized = <Sender, T>(
  sql: Pool,
  authorize: (tx: Tx) => Promise<Sender>,
  work: (tx: AuthorizedTx, sender: Sender) => Promise<T>,
): Promise<T> => sql.begin(async (tx) => work(tx as AuthorizedTx, await authorize(tx))) as Promise<T>

/** For commands without a caller: public operations, which check a credential of their own, and the operator's command line. */
export const beginWithoutCaller = <T>(sql: Pool, work: (tx: AuthorizedTx) => Promise<T>): Promise<T> =>
  beginAuthorized(sql, async () => undefined, work)

/** For commands of a user without a request, such as those that create the demo data. */
export const beginAs =
  (sql: Pool, { userId, orgId }: Pick<Caller, 'userId' | 'orgId'>): BeginCommand =>
  (work) =>
    beginAuthorized(
      sql,
      async (tx) => {
        await lockOrganization(tx, orgId)
        const [row] = await findCaller(tx, userId)
        if (!row) throw unauthorized()
        return callerFrom({ userId, orgId, sessionId: 'none', sessionVersion: row.session_version }, row)
      },
      work,
    )

const AUTHORITY_RESOURCES = new Set(['impersonationGrant', 'org', 'password', 'role', 'user'])

/**
 * Whether a command can change what another caller of the organization may do. Such commands read the caller under the
 * organization's lock, so that of two concurrent ones the second sees the first.
 */
export const changesAuthority = (procedure: Procedure) => AUTHORITY_RESOURCES.has(procedure.split('.')[0] as string)
