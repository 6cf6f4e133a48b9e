import { bytesOf, converse } from './exchange.ts'
import type { Load } from './load.ts'

/** Connections open, statements are prepared and code is compiled before the measurement. */
const WARM_UP_MS = 500

/**
 * The program that plays the clients: each connection sends one request again and again, or refreshes a session of its own
 * with the token of the last answer. Prints the answers in a second, and the last tokens.
 */
const { port, connections, seconds, request, tokens }: Load = JSON.parse(process.argv[2] ?? '')
const current = [...(tokens ?? [])]
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

const exchanges = Promise.all(
  Array.from({ length: connections }, (_, client) => {
    const next = () => (running ? (fixed ?? refresh(current[client])) : undefined)
    if (fixed) {
      return converse(port, {
        request() {
          answers++
          return next()
        },
      })
    }
    return converse(port, {
      request: next,
      answered(body) {
        answers++
        current[client] = JSON.parse(body).refresh_token
      },
    })
  }),
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
await Promise.race([exchanges, measured])
await exchanges
console.log(JSON.stringify({ perSecond: await measured, tokens: current }))
process.exit(0)
