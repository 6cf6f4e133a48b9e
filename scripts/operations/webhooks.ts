import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import type { ApiClient } from '../../services/testing/client.ts'
import { type Account, accountOf } from '../client/account.ts'
import { ask, signIn } from '../client/requests.ts'
import { localMarketplace } from '../local/address.ts'
import { Refusal } from '../toolchain/refusal.ts'
import { listenForWebhooks, type Receipt } from './webhook-listener.ts'

export interface ListenOptions {
  url?: string
  email?: string
  endpoint?: string
  events: string[]
  port: string
  publicUrl?: string
  forwardTo?: string
}

const PATH = '/v2.3/webhooks/endpoints'
/** Recognizes the endpoint of a listener that was killed. */
const DESCRIPTION = 'scripts/operator webhooks listen'

/** Receives the events of an organization on this machine through an endpoint that exists as long as the command runs. */
export async function listen(options: ListenOptions): Promise<void> {
  const account = await accountOf(options, process.env, localMarketplace)
  const client = await signIn(account)
  const ended = signalled()
  const secret = Promise.withResolvers<string>()
  // A failed creation rejects it before the first delivery waits for it.
  secret.promise.catch(() => undefined)
  const server = listenForWebhooks({
    port: portOf(options.port),
    secret: secret.promise,
    forwardTo: addressOf('--forward-to', options.forwardTo),
    report: (receipt) => console.log(textOf(receipt)),
  })
  try {
    const url = addressOf('--public-url', options.publicUrl) ?? `http://127.0.0.1:${server.port}/`
    const endpoint = await createEndpoint(client, url, await eventsOf(client, options))
    secret.resolve(endpoint.secret)
    console.log(`${account.email} listens at ${url} to ${endpoint.events.join(', ')}. Ctrl-C ends it.`)
    console.log(`The secret of the endpoint, for the address of --forward-to: ${endpoint.secret}\n`)
    await ended
    await deleteEndpoint(account, endpoint.id)
  } finally {
    secret.reject(new Error('the endpoint was not created'))
    await server.stop(true)
  }
}

/** The given events, or those of an existing endpoint. */
async function eventsOf(client: ApiClient, { endpoint, events }: ListenOptions): Promise<string[]> {
  if (endpoint === undefined) return events
  const { data } = await ask<{ data: WebhookEndpoint }>(client, 'GET', `${PATH}/${encodeURIComponent(endpoint)}`)
  return data.events
}

async function createEndpoint(client: ApiClient, url: string, events: string[]): Promise<CreatedWebhookEndpoint> {
  const { data: known } = await ask<{ data: WebhookEndpoint[] }>(client, 'GET', PATH)
  for (const left of known.filter((one) => one.description === DESCRIPTION && one.url === url)) {
    await ask(client, 'DELETE', `${PATH}/${left.id}`)
  }
  const request = { url, events, description: DESCRIPTION }
  const { data } = await ask<{ data: CreatedWebhookEndpoint }>(client, 'POST', PATH, request)
  return data
}

/** The first session may have expired meanwhile. */
async function deleteEndpoint(account: Account, id: string): Promise<void> {
  await ask(await signIn(account), 'DELETE', `${PATH}/${id}`)
  console.log(`The endpoint ${id} is deleted.`)
}

function signalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  return promise
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^[0-9]{1,5}$/.test(text) && port <= 65_535) return port
  throw new Refusal(`--port ${text} is not a port: choose 1 to 65535, or 0 for a free one.`)
}

function addressOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined || (/^https?:\/\//.test(text) && URL.canParse(text))) return text
  throw new Refusal(`${option} ${text} is not an address such as http://localhost:3000/webhooks.`)
}

function textOf({ timestamp, type, id, attempt, verification, body, forwarded }: Receipt): string {
  const time = new Date(timestamp).toISOString().slice(11, 19)
  const facts = [time, type, id, `attempt ${attempt}`, verification, forwarded].filter((fact) => fact !== undefined)
  return `${facts.join('  ')}\n${body}\n`
}
