import type { CreatedUser, User } from '../../proto/http/organization/users.ts'
import { type ApiAnswer, type ApiClient, succeeded } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'

export interface Problem {
  code: string
  detail: string
  errors?: { field: string; message: string }[]
}

export interface Page<T> {
  items: T[]
  hasMore: boolean
}

/** The answer of a request, with the record or with the problem. */
export type Answer<T> = Promise<ApiAnswer<T & Problem>>

type Headers = Record<string, string>

/** The requests of one client about the records of a path. `readAt`: where they are read, if it is another path. */
export const collectionOf = <T, Listed = T>(client: ApiClient, path: string, readAt = path) => ({
  create: (body: unknown, headers: Headers = {}): Answer<T> => client.post(path, body, headers),
  read: (id: string): Answer<T> => client.get(`${readAt}/${id}`),
  list: (query = ''): Answer<Page<Listed>> => client.get(`${readAt}${query}`),
  patch: (id: string, body: unknown, headers: Headers = {}): Answer<T> =>
    client.send('PATCH', `${path}/${id}`, { body, headers }),
  act: (id: string, verb: string, body?: unknown, headers: Headers = {}): Answer<T> =>
    client.post(`${path}/${id}/${verb}`, body, headers),
  remove: (id: string): Answer<T> => client.send('DELETE', `${path}/${id}`),
})

/** Less than the five seconds after which services fall back to Postgres because the bus is silent. */
export const BY_BUS = { withinMs: 3000 }

export const newPerson = (more: Record<string, unknown> = {}) => ({
  email: `${crypto.randomUUID()}@example.com`,
  givenName: 'Test',
  familyName: 'Person',
  ...more,
})

/** Creates a user over HTTP. */
export async function created(client: ApiClient, more: Record<string, unknown> = {}): Promise<CreatedUser> {
  return succeeded(client.post<CreatedUser>('/flows/v1/users', newPerson(more)))
}

export const tokenOf = ({ activationUrl = '' }: { activationUrl?: string }) => activationUrl.split('#')[1] as string

export const act = (client: ApiClient, userId: string, verb: string): Answer<User> =>
  client.post<User & Problem>(`/flows/v1/users/${userId}/${verb}`)

export const patch = <T = Record<string, unknown>>(
  client: ApiClient,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) => client.send<T & Problem>('PATCH', path, { body, headers })

/** Audit entries of a procedure in an organization, in the order of writing. */
export const entriesOf = ({ db }: TestMarketplace, orgId: string, procedure: string) => db.owner<
  { success: boolean; error: string | null; actor_id: string; request: Record<string, unknown> }[]
>`
  select success, error, actor_id, request from organization.audit_log
  where org_id = ${orgId} and procedure = ${procedure} order by timestamp, id`

/** Types of the events of a subject, in order. */
export const eventsOf = async ({ db }: TestMarketplace, subject: string): Promise<string[]> =>
  (
    await db.owner<{ type: string }[]>`select type from organization.outbox where subject = ${subject} order by seq`
  ).map(({ type }) => type)
