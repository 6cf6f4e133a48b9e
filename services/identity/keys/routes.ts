import { Elysia } from 'elysia'
import { getJwks } from '../../../proto/http/identity/accounts.ts'
import { listPublicKeys } from '../../kit/auth/queries.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Http } from '../../kit/http/http.ts'

export const keyRoutes = ({ http, sql }: { http: Http; sql: Pool }) =>
  new Elysia({ name: 'identity.keys' }).use(
    http.publicRoute(getJwks, async () => ({ keys: (await listPublicKeys(sql)).map((row) => row.public_jwk) })),
  )
