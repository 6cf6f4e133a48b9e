import { createServer } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from 'marketplace-client'

/** Receives the events of a webhook endpoint on Node, Bun and Deno. An event can arrive twice; its id is the same. */
const { WEBHOOK_SECRET: secret = '', PORT: port = '3000' } = process.env

function handle(event: WebhookEvent): void {
  if (event.type === 'assignments.status.updated') {
    process.stdout.write(`${event.data.assignment.id} is ${event.data.assignment.status}\n`)
  } else {
    process.stdout.write(`${event.type} ${event.id}\n`)
  }
}

const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    handle(verifyWebhook(secret, request.headers, Buffer.concat(chunks)))
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end()
  }
})
server.listen(Number(port), () => process.stdout.write(`Listening on ${port}\n`))
