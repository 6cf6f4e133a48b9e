import { ownerOf } from '../../../../proto/paths.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import { ApiClient, succeeded } from '../../../../services/testing/client.ts'
import { type Account, ServiceLoad } from './load.ts'

/**
 * The program of the pod that sends the load: it reaches the Services by their names. The rehearsal calls it through a
 * forwarded port.
 */
const PREFIX = process.env.NAME_PREFIX ?? ''
const hostOf = (service: ServiceName) => `${PREFIX}-${service}`
const clientOf = (path: string, token?: string) => new ApiClient(`http://${hostOf(ownerOf(path))}`, token)

/** Activates the operator's first administrator, who creates an organization with parts. */
async function createAccount(activation: string): Promise<Account> {
  const run = crypto.randomUUID().slice(0, 8)
  const post = (path: string, body: unknown, token?: string) =>
    succeeded(clientOf(path, token).post<Record<string, string>>(path, body))
  const [password, username] = [crypto.randomUUID(), `load-${run}@example.com`]
  await post('/flows/v1/activations', { token: activation, password })
  const operator = await post('/v2.3/oauth/token', { grant_type: 'password', username: EMAIL, password })
  const administrator = { email: username, givenName: 'Load', familyName: 'Test' }
  const input = { name: `Load ${run}`, roles: ['IP_OWNER'], regionCode: 'NO', administrator }
  const created = await post('/flows/v1/orgs', input, operator.access_token)
  const token = new URL(created.activationUrl ?? '').hash.slice(1)
  await post('/flows/v1/activations', { token, password })
  return { username, password, orgId: created.id ?? '' }
}

const EMAIL = process.env.OPERATOR_EMAIL ?? ''
let load: ServiceLoad | undefined

const CALLS: Record<string, (body: string) => Promise<unknown>> = {
  async start(activation) {
    load = new ServiceLoad((service) => ({ host: hostOf(service), port: 80 }), await createAccount(activation))
    await load.start()
    return {}
  },
  async counts() {
    const longestMs = load?.longestMs ?? 0
    if (load) load.longestMs = 0
    return { counts: load?.counts, longestMs, failures: load?.failures.splice(0) }
  },
  async stop() {
    await load?.stop()
    return {}
  },
  missing: async () => load?.missing(),
}

Bun.serve({
  port: 8080,
  idleTimeout: 255,
  async fetch(request) {
    const call = CALLS[new URL(request.url).pathname.slice(1)]
    return Response.json((await call?.(await request.text())) ?? null)
  },
  error: (error) => new Response(String(error), { status: 500 }),
})
console.log('ready')
