import { signal } from '@preact/signals'
import { createMarketplace } from '../../../../proto/clients/typescript/src/client.ts'
import type { paths } from '../../../../proto/clients/typescript/src/generated/openapi.ts'
import type { Fetch } from '../../../../proto/clients/typescript/src/transport.ts'
import { takeBegun } from './begun.ts'
import { refreshVisible } from './refresh.ts'
import { credentials } from './session.ts'

export { ifMatch } from '../../../../proto/clients/typescript/src/client.ts'
export { ApiError } from '../../../../proto/clients/typescript/src/errors.ts'
export type * from '../../../../proto/clients/typescript/src/generated/openapi.ts'

/** Whether the last request reached the marketplace. */
export const isConnected = signal(true)

const fetchAndObserve: Fetch = async (url, init) => {
  try {
    const begun = takeBegun(url, init)
    const response = await (begun?.catch(() => fetch(url, init)) ?? fetch(url, init))
    isConnected.value = true
    return response
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) isConnected.value = false
    throw error
  }
}

export const market = createMarketplace({
  url: location.origin,
  credentials,
  fetch: fetchAndObserve,
  maxRetries: 2,
  maxWaitMs: 10_000,
  timeoutMs: 30_000,
})

/** For operations that need no session, such as those of the page that signs in. */
export const publicMarket = createMarketplace({ url: location.origin, fetch: fetchAndObserve, timeoutMs: 30_000 })

/** Changes within this time after a command of this page probably result from it, and are shown immediately. */
const OWN_CHANGE_MS = 5_000
let ownChangeUntil = 0
export const isAfterOwnCommand = () => Date.now() < ownChangeUntil

/** The newest records that commands of this page have answered; lists show them without being asked. */
const MAX_OWN_RECORDS = 200
const ownRecords = new Set<string>()
export const isOwnRecord = (id: string) => ownRecords.has(id)

function keepOwn(answer: unknown): void {
  const { id } = (answer ?? {}) as { id?: unknown }
  if (typeof id !== 'string') return
  ownRecords.add(id)
  for (const oldest of ownRecords) {
    if (ownRecords.size <= MAX_OWN_RECORDS) break
    ownRecords.delete(oldest)
  }
}

/** Runs a command and reads again what the page shows. */
export async function command<T>(run: () => Promise<{ data: T }>): Promise<T> {
  try {
    const { data } = await run()
    keepOwn(data)
    return data
  } finally {
    ownChangeUntil = Date.now() + OWN_CHANGE_MS
    refreshVisible()
  }
}

/** Where a record is. */
export const at = (id: string) => ({ params: { path: { id } } })

type RecordPath<M extends 'POST' | 'PATCH'> = Extract<Parameters<(typeof market)[M]>[0], `${string}/{id}${string}`>
/** What names the record of an operation: its id, or that of each record in the path. */
type IdsOf<O> = O extends { parameters: { path: infer Path } }
  ? Path | ({ id: string } extends Path ? string : never)
  : never
type ContentOf<O> = O extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : undefined
type Unchanged = { 'If-Match': string }

/** Runs a command of a record. */
export const post = <P extends RecordPath<'POST'>>(
  path: P,
  ids: IdsOf<paths[P]['post']>,
  body?: ContentOf<paths[P]['post']>,
  headers?: Unchanged,
): Promise<Awaited<ReturnType<typeof market.POST<P>>>['data']> => {
  const params = typeof ids === 'string' ? at(ids).params : { path: ids }
  return command(() => (market.POST as CallableFunction)(path, { params, body, headers }))
}

/** Changes a record. */
export const patch = <P extends RecordPath<'PATCH'>>(
  path: P,
  id: string,
  body: ContentOf<paths[P]['patch']>,
  headers?: Unchanged,
) => command(() => (market.PATCH as CallableFunction)(path, { ...at(id), body, headers }))

type DeletePath = Parameters<typeof market.DELETE>[0]

/** Deletes a record. */
export const remove = <P extends DeletePath>(path: P, ids: paths[P]['delete']['parameters']['path']) =>
  command(() => (market.DELETE as CallableFunction)(path, { params: { path: ids } }))
