import { SERVICES, type ServiceName } from '../../../../proto/services.ts'
import type { Pool } from '../../db/client.ts'
import type { Driver, DriverOptions } from '../driver.ts'
import type { Listener } from '../ear.ts'
import type { Follower } from '../follower.ts'
import { type EventRow, envelopeOf } from '../outbox/envelope.ts'
import { beat, channelOf, findPublished, HEARTBEAT_CHANNEL, markRead } from '../outbox/queries.ts'
import { countUnread, forgetCursors, listCursors } from '../queries.ts'
import { familyOf, matcherOf } from '../subjects.ts'
import { outboxFeed } from './feed.ts'

const CHANNELS = SERVICES.map(channelOf)
const SERVICE_OF = new Map<string, ServiceName>(SERVICES.map((service) => [channelOf(service), service]))
const MARKED_AT_ONCE = 1000
/** A consumer that was not seen for so long does not keep rows from being swept any more. */
const FORGOTTEN_AFTER = '30 days'

/** The bus without a broker: consumers read the outboxes themselves, followers hear the notifications of commits. */
export function postgresDriver({ service, pool, ear, log, heartbeats }: DriverOptions): Driver {
  return {
    outlet: {
      async drain(session) {
        const { count } = await session.ask(markRead(session.sql, service, FORGOTTEN_AFTER, MARKED_AT_ONCE))
        return count === MARKED_AT_ONCE ? 'more' : 'empty'
      },
      async beat(session) {
        await session.ask(beat(session.sql, service))
      },
    },
    async feeds({ name, subjects }) {
      const sources = sourcesOf(subjects)
      // A cursor that nobody moves any more would keep what lies beyond it from being swept.
      await forgetCursors(
        pool,
        name,
        SERVICES.filter((service) => !sources.includes(service)),
      )
      return sources.map((source) => outboxFeed(pool, source))
    },
    wakes(subjects, wake) {
      const matches = matcherOf(subjects)
      return ear.listen({
        channels: CHANNELS,
        heard: (_channel, payload) => {
          if (matches((JSON.parse(payload) as EventRow).type)) wake.call()
        },
        deaf() {},
        hearing: wake.call,
      })
    },
    follow: (follower) =>
      ear.listen(
        followingListener(follower, pool, heartbeats.heard.bind(heartbeats), (error) => {
          log.warn({ err: error }, 'a long event could not be fetched; state is loaded again')
        }),
      ),
    async lag({ name }) {
      const cursors = await listCursors(pool, name)
      const known = cursors.filter(({ source }) => (SERVICES as readonly string[]).includes(source))
      const counts = await Promise.all(known.map((cursor) => countUnread(pool, cursor.source as ServiceName, cursor)))
      return counts.reduce((sum, [row]) => sum + (row?.waiting ?? 0), 0)
    },
    async close() {},
  }
}

/** Whose outboxes have what the subjects mean: a service tells of its own family, and other families are anybody's. */
function sourcesOf(subjects: readonly string[]): ServiceName[] {
  const families = new Set(subjects.map(familyOf))
  const own = SERVICES.filter((service) => families.has(service))
  return own.length === families.size ? own : [...SERVICES]
}

function followingListener(
  follower: Follower,
  pool: Pool,
  beatHeard: (service: string) => void,
  failed: (error: unknown) => void,
): Listener {
  /** Events are told in the order they were heard, also when one has to be fetched first. */
  let inOrder: Promise<void> | undefined
  const tell = async (service: ServiceName, notified: EventRow) => {
    try {
      const [row] = notified.data === undefined ? await findPublished(pool, service, notified.id) : [notified]
      if (row) follower.hear(envelopeOf(service, row))
    } catch (error) {
      failed(error)
      void follower.missed()
    }
  }
  return {
    channels: [...CHANNELS, HEARTBEAT_CHANNEL],
    heard(channel, payload) {
      const service = SERVICE_OF.get(channel)
      if (!service) return beatHeard(payload)
      const notified: EventRow = JSON.parse(payload)
      if (!follower.matches(notified.type)) return
      // At once where nothing is being fetched: a revocation waits for nobody.
      if (!inOrder && notified.data !== undefined) return follower.hear(envelopeOf(service, notified))
      const turn = (inOrder ?? Promise.resolve()).then(() => tell(service, notified))
      inOrder = turn
      void turn.then(() => {
        if (inOrder === turn) inOrder = undefined
      })
    },
    deaf: () => follower.deaf(),
    hearing: () => void follower.hearing(),
  }
}
