import { bytesOf, converse, type RequestText } from './exchange.ts'
import { type Load, WARM_UP_MS } from './load.ts'

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
const measured = (async () => {
  await Bun.sleep(WARM_UP_MS)
  const [answersBefore, startedMs] = [answers, performance.now()]
  await Bun.sleep(seconds * 1000)
  const rate = ((answers - answersBefore) / (performance.now() - startedMs)) * 1000
  running = false
  return rate
})()
await Promise.race([talks, measured])
await talks
console.log(JSON.stringify({ perSecond: await measured }))
process.exit(0)
