import { bytesOf, converse } from './connection.ts'
import type { Load } from './http.ts'

/** Connections open, statements are prepared and code is compiled before the measurement. */
const WARM_UP_MS = 500

/**
 * The program that plays the clients: each connection sends one request again and again, or refreshes a session of its own
 * with the token of the last answer. Prints the answers in a second, and the last tokens.
 */
const { port, connections, seconds, request, tokens = [] }: Load = JSON.parse(process.argv[2] ?? '')
const fixed = request && bytesOf(request)
let answers = 0
let running = true

const refresh = (token: string | undefined) =>
  bytesOf({
    method: 'POST',
    path: '/v2.3/oauth/token',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: token }),
  })

const conversations = Promise.all(
  Array.from({ length: connections }, (_, client) =>
    converse(port, {
      next: () => (running ? (fixed ?? refresh(tokens[client])) : undefined),
      answered(body) {
        answers++
        if (!fixed) tokens[client] = JSON.parse(body.toString()).refresh_token
      },
    }),
  ),
)

async function measure(): Promise<number> {
  await Bun.sleep(WARM_UP_MS)
  const [before, startedMs] = [answers, performance.now()]
  await Bun.sleep(seconds * 1000)
  return ((answers - before) / (performance.now() - startedMs)) * 1000
}

const measured = measure().finally(() => {
  running = false
})
await Promise.race([conversations, measured])
await conversations
console.log(JSON.stringify({ perSecond: await measured, tokens }))
process.exit(0)
