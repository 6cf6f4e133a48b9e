import { MAX_PASSKEYS, type Passkey } from '../../../proto/http/identity/passkeys.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { insertPasskey, listDescriptors } from './queries.ts'
import type { RelyingParty } from './rules.ts'
import type { NewCredential } from './webauthn.ts'

interface Addition {
  orgId: string
  userId: string
  name: string
  credential: NewCredential
  lastUsedAt?: string
}

export const limitReached = () =>
  refuse('limit_reached', { detail: `A person has at most ${MAX_PASSKEYS} passkeys. Remove one first.` })

/** Adds a passkey. The organization is locked. Undefined for a credential that is known already. */
export async function addPasskey(
  tx: Tx,
  { id: rpId }: RelyingParty,
  { credential, lastUsedAt = null, ...addition }: Omit<Addition, 'lastUsedAt'> & { lastUsedAt?: string | null },
  now: string,
): Promise<Passkey | undefined> {
  const { orgId, userId } = addition
  if ((await listDescriptors(tx, { rpId, orgId, userId })).length >= MAX_PASSKEYS) throw limitReached()
  const id = newIdAt('passkey', now)
  const [added] = await insertPasskey(tx, { ...addition, ...credential, id, rpId, lastUsedAt }, now)
  if (!added) return undefined
  const data = { passkeyId: id, userId, orgId }
  await emit(tx, { type: 'identity.passkey.added', tenantId: orgId, subject: id, data })
  return withoutNulls(added)
}
