import { bytesOf, converse } from './exchange.ts'
import type { Load } from './load.ts'
import { rateOf } from './rate.ts'

/**
 * The program that plays clients with sessions: each refreshes its own, with the token of the answer before.
 * Prints how many refreshes were answered in a second, and the tokens to go on with.
 */
const { port, tokens, seconds }: Omit<Load, 'connections'> & { tokens: string[] } = JSON.parse(process.argv[2] ?? '')
const current = [...tokens]
let answers = 0
let running = true

const refresh = (token: string) =>
  bytesOf({
    method: 'POST',
    path: '/v2.3/oauth/token',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: token }),
  })

const talks = Promise.all(
  tokens.map((_, client) =>
    converse(port, {
      request: () => (running ? refresh(current[client] as string) : undefined),
      answered(body) {
        answers++
        current[client] = JSON.parse(body).refresh_token
      },
    }),
  ),
)
const measured = rateOf(() => answers, seconds).finally(() => {
  running = false
})
await Promise.race([talks, measured])
await talks
console.log(JSON.stringify({ perSecond: await measured, tokens: current }))
process.exit(0)
