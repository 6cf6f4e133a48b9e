import { bytesOf, converse, type RequestText } from './exchange.ts'
import type { Load } from './load.ts'
import { rateOf } from './rate.ts'

/**
 * The program that plays the clients, in a process of its own: so and so many send one request again and again.
 * Prints how many were answered in a second.
 */
const { port, connections, seconds, request }: Load & { request: RequestText } = JSON.parse(process.argv[2] ?? '')
const bytes = bytesOf(request)
let answers = 0
let running = true

const talks = Promise.all(
  Array.from({ length: connections }, () =>
    converse(port, {
      request() {
        answers++
        return running ? bytes : undefined
      },
    }),
  ),
)
const measured = rateOf(() => answers, seconds).finally(() => {
  running = false
})
await Promise.race([talks, measured])
await talks
console.log(JSON.stringify({ perSecond: await measured }))
process.exit(0)
