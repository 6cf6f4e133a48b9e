import { timingSafeEqual } from 'node:crypto'
import { timeAt } from '../../../proto/durations.ts'
import { isWithin } from '../../kit/addresses/networks.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import type { Pool } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import type { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import { recordFailure } from '../tokens/failures.ts'
import type { ClientCredentials } from './credentials.ts'
import { type ClientRow, findClient, recordKeyUse } from './queries.ts'
import { isUseDue, keyProblem } from './rules.ts'

export interface ClientDeps {
  sql: Pool
  clock: () => number
  /** Permits for authentications, by network because the organization is not known yet. */
  permits: KeyedSemaphore
}

/** The client of a request and where it comes from. */
interface ClientRequest {
  credentials: ClientCredentials
  auditContext: AuditContext
  signal: AbortSignal
}

const WRONG = 'The client id or the secret is wrong.'
/** Compared for an unknown client, so that it takes as long as a known one. */
const DUMMY_HASH = hashOf('')

/**
 * Authenticates a service account by a key. Failures are counted, and leave an audit entry where the client is known. A
 * usable key is never throttled: 256 random bits cannot be guessed, and other programs may share the address.
 */
export function authenticateClient(
  { sql, clock, permits }: ClientDeps,
  { credentials: { clientId, secret }, auditContext, signal }: ClientRequest,
): Promise<ClientRow> {
  const { ipAddress } = auditContext
  return permits.run(networkOf(ipAddress), signal, async () => {
    const now = timeAt(clock())
    const [client] = await findClient(sql, clientId)
    const isRight = timingSafeEqual(hashOf(secret), client?.secret_hash ?? DUMMY_HASH)
    const isAllowedAddress = client?.networks.length === 0 || isWithin(ipAddress, client?.networks ?? [])
    const problem = client && isRight ? keyProblem(client, { isAllowedAddress, now }) : WRONG
    if (client && problem === undefined) {
      if (isUseDue(client, now)) await recordKeyUse(sql, clientId, ipAddress, now)
      return client
    }
    const keys = throttleKeys(clientId, ipAddress, 'client')
    await refuseThrottled(sql, keys, now)
    const failed = { ...withRequestFields(auditContext, { clientId }), procedure: 'auth.signIn' as const }
    await recordFailure(sql, { keys, user: client, auditContext: failed, code: 'invalid_client' }, now)
    throw refuse('invalid_client', { detail: problem ?? WRONG })
  })
}
