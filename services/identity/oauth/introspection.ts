import { decodeJwt } from 'jose'
import type { TokenIntrospection } from '../../../proto/http/identity/oauth.ts'
import { type Caller, callerFrom } from '../../kit/auth/caller.ts'
import { findUserOf } from '../../kit/auth/grantors.ts'
import type { Claims } from '../../kit/auth/tokens.ts'
import type { Sql } from '../../kit/db/client.ts'
import { isRefusalOf } from '../../kit/errors/refusal.ts'
import { scopeText } from './tokens.ts'

export interface IntrospectionDeps {
  sql: Sql
  /** The claims of an access token. Throws 401. */
  claimsIn(token: string): Promise<Claims>
}

/** Claims that every verified token has, and the key of a service account. */
interface VerifiedPayload {
  exp: number
  iat: number
  iss: string
  aud: string
  jti: string
  client_id?: string
}

const INACTIVE: TokenIntrospection = { active: false }

/** Describes a token that services accept now (RFC 7662). Tokens of other organizations are inactive. */
export async function introspect(
  { sql, claimsIn }: IntrospectionDeps,
  token: string,
  orgId: string,
): Promise<TokenIntrospection> {
  const caller = await callerOf({ sql, claimsIn }, token).catch((error) => {
    if (isRefusalOf(error, 'unauthorized')) return undefined
    throw error
  })
  if (caller?.orgId !== orgId) return INACTIVE
  const { client_id, exp, iat, iss, aud, jti } = decodeJwt<VerifiedPayload>(token)
  return {
    active: true,
    scope: scopeText(caller.permissions),
    ...(client_id === undefined ? {} : { client_id }),
    token_type: 'Bearer',
    exp,
    iat,
    iss,
    aud,
    jti,
    sub: caller.userId,
    org: caller.orgId,
    ...(caller.act ? { act: { sub: caller.act.actingEmail, grant: caller.act.grantId } } : {}),
  }
}

/** The caller that the token stands for, as stored now. */
async function callerOf({ sql, claimsIn }: IntrospectionDeps, token: string): Promise<Caller | undefined> {
  const claims = await claimsIn(token)
  const row = await findUserOf(sql, claims)
  return row && callerFrom(claims, row)
}
