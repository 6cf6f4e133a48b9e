import type { Order } from '../api.ts'
import { date, number, pieces } from '../format.ts'
import { orgId } from '../me.ts'
import { orgName } from '../names.tsx'
import { openRejection, piecesLeft, unreceived } from '../pieces.ts'
import { fill, t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { Facts, Section } from '../ui/page.tsx'

const MAKING: readonly Order['state'][] = ['IN_PRODUCTION', 'INSPECTION']
const ENDED: readonly Order['state'][] = ['COMPLETED', 'DECLINED', 'CANCELLED']

/** A sentence for each side that it is about, and for all others. */
interface Said {
  maker?: string
  consumer?: string
  other: string
}

const wordsFor = ({ manufacturerOrgId, consumerOrgId }: Order, { maker, consumer, other }: Said) =>
  (manufacturerOrgId === orgId.value && maker) || (consumerOrgId === orgId.value && consumer) || other

/** What is missing until the order ends, and who does it. */
export function nextOf(order: Order): string[] {
  const { state, proposedRemakeQuantity } = order
  if (ENDED.includes(state)) return []
  const parties = { maker: orgName(order.manufacturerOrgId), consumer: orgName(order.consumerOrgId) }
  const say = (said: Said, count = 0) => fill(wordsFor(order, said), { ...parties, count: pieces(count) })
  const { next } = t.orders
  const [left, waiting, rejected] = [piecesLeft(order), unreceived(order), openRejection(order)]
  const isComplete = state === 'DELIVERED' && rejected === 0
  return [
    state === 'PLACED' || state === 'CONFIRMED' || state === 'ON_HOLD' ? say(next[state]) : '',
    MAKING.includes(state) && left > 0 ? say(next.ship, left) : '',
    waiting > 0 ? say(next.receive, waiting) : '',
    proposedRemakeQuantity !== undefined ? say(next.decideRemake, proposedRemakeQuantity) : '',
    proposedRemakeQuantity === undefined && rejected > 0 ? say(next.rejected, rejected) : '',
    isComplete ? say(next.complete) : '',
  ].filter(Boolean)
}

/** Whether the order waits for the organization of the caller first. */
export function waitsForOrg(order: Order): boolean {
  const { state, proposedRemakeQuantity, consumerOrgId, manufacturerOrgId } = order
  if (ENDED.includes(state)) return false
  const isMakersTurn =
    ['PLACED', 'CONFIRMED', 'ON_HOLD'].includes(state) || (MAKING.includes(state) && piecesLeft(order) > 0)
  if (isMakersTurn) return manufacturerOrgId === orgId.value
  const isOpen = proposedRemakeQuantity === undefined && openRejection(order) > 0 && unreceived(order) === 0
  return (isOpen && manufacturerOrgId === orgId.value) || consumerOrgId === orgId.value
}

/** The shares of the pieces as one bar: accepted, rejected, on the way, and left. */
function Bar({ order }: { order: Order }) {
  const { quantity, remadeQuantity = 0, acceptedQuantity = 0, rejectedQuantity = 0 } = order
  const all = quantity + remadeQuantity
  const parts = [
    ['good', acceptedQuantity],
    ['bad', rejectedQuantity],
    ['live', unreceived(order)],
  ] as const
  let from = 0
  return (
    <svg class="share" aria-hidden="true">
      {parts.map(([tone, count]) => {
        const x = from
        from += count
        return (
          <rect key={tone} class={tone} height="100%" x={`${(x / all) * 100}%`} width={`${(count / all) * 100}%`} />
        )
      })}
    </svg>
  )
}

const decidesChange = (id: string) =>
  id === orgId.value ? t.orders.next.decideChange.own : fill(t.orders.next.decideChange.other, { decider: orgName(id) })

/**
 * How many pieces are where, what is missing and who does it, and the promised beside the expected day. `deciders`:
 * organizations that decide a proposed change.
 */
export function Standing({ order, deciders }: { order: Order; deciders: readonly string[] }) {
  const { quantity, shippedQuantity = 0, acceptedQuantity = 0, rejectedQuantity = 0, remadeQuantity = 0 } = order
  const { sums } = t.orders
  const isOver = order.state === 'DECLINED' || order.state === 'CANCELLED'
  const counts = [
    [sums.ordered, quantity],
    [sums.shipped, shippedQuantity],
    [sums.accepted, acceptedQuantity],
    [sums.rejected, rejectedQuantity],
    [sums.remade, remadeQuantity],
    [sums.left, order.state === 'COMPLETED' ? 0 : piecesLeft(order)],
  ] as const
  return (
    <Section title={t.orders.standing}>
      {!isOver && (
        <>
          <dl class="sums">
            {counts.map(([label, count]) => (
              <div key={label} class={count === 0 ? 'none' : ''}>
                <dt>{label}</dt>
                <dd>{number(count)}</dd>
              </div>
            ))}
          </dl>
          <Bar order={order} />
        </>
      )}
      {[...nextOf(order), ...deciders.map(decidesChange)].map((text) => (
        <p key={text}>{text}</p>
      ))}
      <Facts
        of={[
          [t.orders.promised, date(order.dueDate)],
          order.arrivedTime
            ? [t.orders.arrived, <Arrived key="arrived" order={order} />]
            : [t.orders.expectedNow, !isOver && <Due key="due" order={order} isShort />],
        ]}
      />
    </Section>
  )
}

/** The day on which everything had arrived, with a mark if it was after the promised one. */
const Arrived = ({ order: { arrivedTime = '', dueDate } }: { order: Order }) => (
  <span>
    {date(arrivedTime)} {arrivedTime.slice(0, 10) > dueDate && <span class="badge bad">{t.orders.late}</span>}
  </span>
)
