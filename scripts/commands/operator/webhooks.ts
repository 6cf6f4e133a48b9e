import type { Marketplace, WebhookSubscription } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { accountOf, localMarketplace } from '../dev/account.ts'
import { clientOf } from '../dev/client.ts'
import { createTemporaryEndpoint, deleteEndpoint } from '../dev/temporary-endpoint.ts'
import { listenForWebhooks, type Receipt } from './webhook-listener.ts'

interface ListenOptions {
  url?: string
  email?: string
  endpoint?: string
  events: string[]
  port: string
  publicUrl?: string
  forwardTo?: string
}

/** Of the endpoint, by which the next listener at its address recognizes that of one that was killed. */
const DESCRIPTION = 'scripts/operator webhooks listen'

/**
 * Receives the events of an organization on this machine through an endpoint that exists as long as the command runs.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const account = await accountOf(options, process.env, localMarketplace)
  const client = clientOf(account)
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
    const request = { url, events: await eventsOf(client, options), description: DESCRIPTION }
    const endpoint = await createTemporaryEndpoint(client, request, (left) => left.url === url)
    secret.resolve(endpoint.secret)
    console.log(`${account.email} listens at ${url} to ${endpoint.events.join(', ')}. Ctrl-C ends it.`)
    if (options.forwardTo !== undefined) {
      console.log(`The secret of the endpoint, with which ${options.forwardTo} verifies: ${endpoint.secret}`)
    }
    console.log()
    await ended
    await deleteEndpoint(client, endpoint.id)
    console.log(`The endpoint ${endpoint.id} is deleted.`)
  } finally {
    secret.reject(new Error('the endpoint was not created'))
    await server.stop(true)
  }
}

/** The given events, or those of an existing endpoint. */
async function eventsOf(
  client: Marketplace,
  { endpoint: webhookId, events }: ListenOptions,
): Promise<WebhookSubscription[]> {
  // The marketplace refuses unknown names.
  if (webhookId === undefined) return events as WebhookSubscription[]
  const { data } = await client.GET('/v2.3/webhooks/endpoints/{webhookId}', { params: { path: { webhookId } } })
  return data.data.events
}

function signalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  return promise
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^[0-9]{1,5}$/.test(text) && port <= 65_535) return port
  throw new CommandError(`--port ${text} is not a port: choose 1 to 65535, or 0 for a free one.`)
}

function addressOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined || (/^https?:\/\//.test(text) && URL.canParse(text))) return text
  throw new CommandError(`${option} ${text} is not an address such as http://localhost:3000/webhooks.`)
}

function textOf({ timestamp, type, id, attempt, verification, body, forwarded }: Receipt): string {
  const time = new Date(timestamp).toISOString().slice(11, 19)
  const facts = [time, type, id, `attempt ${attempt}`, verification, forwarded].filter((fact) => fact !== undefined)
  return `${facts.join('  ')}\n${body}\n`
}
