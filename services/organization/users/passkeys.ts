import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { Impersonate } from '../../kit/audit/context.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import { emitSessionsVoid } from '../authority/events.ts'
import type { MailLinks } from '../mail/links.ts'
import { countPasskeyReset, findUserByEmail, removePasskeys } from './queries.ts'

/**
 * Removes the passkeys of a user, and voids the sessions of the user and the links and grants that the user made.
 * Returns the number of passkeys.
 */
export async function resetPasskeysOf(
  tx: Tx,
  links: Pick<MailLinks, 'tell'>,
  { orgId, userId }: { orgId: string; userId: string },
  now: string,
): Promise<number> {
  const [{ session_version: sessionVersion }] = await countPasskeyReset(tx, userId, now)
  const [{ removed }] = await removePasskeys(tx, orgId, userId)
  await emitSessionsVoid(tx, 'organization.user.passkeysReset', { userId, orgId, sessionVersion })
  if (removed > 0) await links.tell(tx, { kind: 'PASSKEYS_RESET', orgId, userId }, now)
  return removed
}

/** Resets the passkeys of a person on behalf of the platform operator. Returns their number. */
export function resetPasskeys(
  sql: Pool,
  links: Pick<MailLinks, 'tell'>,
  email: string,
  impersonate: Impersonate,
  now: string,
): Promise<number> {
  return runWithoutCaller(sql, { procedure: 'user.resetPasskeys' }, async (tx, audit) => {
    const { id: userId, org_id: orgId } = found(await findUserByEmail(tx, emailSpelling(email)))
    const removed = await resetPasskeysOf(tx, links, { orgId, userId }, now)
    audit.actBy({ userId, orgId, grantId: await impersonate(tx, { orgId, userId }, now) })
    audit.add({ id: userId, removed })
    return removed
  })
}
