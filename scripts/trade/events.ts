import type { AssignmentEvent } from '../../proto/events/assignments.ts'
import type { CaseEvent } from '../../proto/events/cases.ts'
import type { Account } from '../local/account.ts'
import { clientOf } from '../local/client.ts'
import { createTemporaryEndpoint, deleteEndpoint } from '../local/temporary-endpoint.ts'
import { listenForWebhooks, type Receipt } from '../operator-commands/webhook-listener.ts'
import { CommandError } from '../toolchain/command-error.ts'
import type { AwaitEvents } from './narrator.ts'

const DESCRIPTION = './scripts/demo'
const LONGEST_WAIT_MS = 15_000

interface EventFeed {
  endpointId: string
  awaitEvents: AwaitEvents
  end: () => Promise<void>
}

/** Receives the events of an organization through an endpoint of its own, and prints each one in a line. */
export async function receiveEvents(account: Account, print: (line: string) => void): Promise<EventFeed> {
  let [received, awaited] = [0, 0]
  let wake = () => {}
  const secret = Promise.withResolvers<string>()
  const server = listenForWebhooks({
    port: 0,
    secret: secret.promise,
    forwardTo: undefined,
    report(receipt) {
      received++
      print(`        ← ${lineOf(receipt)}`)
      wake()
    },
  })
  const client = clientOf(account)
  const endpoint = await createTemporaryEndpoint(client, {
    url: `http://127.0.0.1:${server.port}/`,
    events: ['cases.*', 'assignments.*'],
    description: DESCRIPTION,
  }).catch(async (error) => {
    await server.stop(true)
    throw error
  })
  secret.resolve(endpoint.secret)
  return {
    endpointId: endpoint.id,
    async awaitEvents(count) {
      awaited += count
      const deadline = performance.now() + LONGEST_WAIT_MS
      while (received < awaited) {
        const leftMs = deadline - performance.now()
        if (leftMs <= 0) throw new CommandError(`Of ${awaited} events, ${received} have arrived.`)
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await Promise.race([promise, Bun.sleep(leftMs)])
      }
    },
    async end() {
      await server.stop(true)
      await deleteEndpoint(client, endpoint.id)
    },
  }
}

/** The type, what it is about, what led to it, and whether the signature was verified. */
function lineOf({ type, body, attempt, verification }: Receipt): string {
  const { data } = JSON.parse(body) as { data: Partial<(CaseEvent | AssignmentEvent)['data']> }
  const cause = 'cause' in data && data.cause ? `(${data.cause.event})` : ''
  const again = attempt === '1' ? '' : `attempt ${attempt}`
  return [type, subjectOf(data), cause, again, verification].filter((word) => word !== '').join('  ')
}

function subjectOf(data: Partial<(CaseEvent | AssignmentEvent)['data']>): string {
  if ('case' in data && data.case) return `${data.case.title} is ${data.case.state}`
  if ('assignment' in data && data.assignment) return `${data.assignment.id} is ${data.assignment.status}`
  return ''
}
