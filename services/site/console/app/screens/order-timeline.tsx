import type { ComponentChildren } from 'preact'
import type { ChangeRequest, HistoryEntry, Money, Order, Shipment } from '../api.ts'
import { type List, useList } from '../data.ts'
import { date, money, number, pieces, time } from '../format.ts'
import { orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { More } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { nameOf } from '../ui/timeline.tsx'
import { valuesOf } from './order-changes.tsx'

/** Something that has happened to an order. */
interface Happening {
  id: string
  at: string
  what: ComponentChildren
  detail?: string | undefined
  /** The organization that did it, where only one can. */
  by?: string | undefined
}

type Change = HistoryEntry['changes'][number]
type State = Order['state']

const isMaker = (state: State) =>
  ['CONFIRMED', 'DECLINED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD', 'SHIPPED'].includes(state)

/** Fields that are shown with a state or a shipment, and those that follow from others. */
const SHOWN_ELSEWHERE: readonly string[] = [
  ...['state', 'shippedQuantity', 'acceptedQuantity', 'rejectedQuantity', 'carrier', 'trackingNumber', 'arrivedTime'],
  ...['total', 'settledTotal', 'cancellationFee', 'reason', 'remadeQuantity', 'proposedRemakeQuantity', 'expectedDate'],
  ...['quantity', 'dueDate', 'unitPrice', 'updatedTime'],
]

/** The values of an order that its sides have agreed to change. */
const AGREED: readonly (readonly [field: string, name: string, show: (value: unknown) => string])[] = [
  ['quantity', t.orders.quantity, (value) => number(value as number)],
  ['dueDate', t.orders.promised, (value) => date(value as string)],
  ['unitPrice', t.comparison.unitPrice, (value) => money(value as Money)],
]

const changeOf = ({ changes }: HistoryEntry, field: string): Change | undefined =>
  changes.find((change) => change.field === field)

/** What an entry says of pieces that are made again. */
function remakeOf(entry: HistoryEntry): string | undefined {
  const [made, proposed] = [changeOf(entry, 'remadeQuantity'), changeOf(entry, 'proposedRemakeQuantity')]
  if (made && Number(made.after ?? 0) > Number(made.before ?? 0)) {
    return fill(t.timeline.remade, { count: pieces(Number(made.after) - Number(made.before ?? 0)) })
  }
  if (proposed?.after !== undefined) return fill(t.timeline.remakeProposed, { count: pieces(Number(proposed.after)) })
  return proposed && !changeOf(entry, 'state') ? t.timeline.remakeDeclined : undefined
}

/** What an entry says besides its state. */
function detailsOf(entry: HistoryEntry): string[] {
  const details = AGREED.flatMap(([field, name, show]) => {
    const change = changeOf(entry, field)
    return change?.before === undefined ? [] : [`${name}: ${show(change.before)} → ${show(change.after)}`]
  })
  const expected = changeOf(entry, 'expectedDate')?.after
  const others = entry.changes.filter(({ field }) => !SHOWN_ELSEWHERE.includes(field))
  const named = [...new Set(others.map((change) => nameOf('order', change)))].join(', ')
  const settled = changeOf(entry, 'settledTotal')?.after
  const fee = changeOf(entry, 'cancellationFee')?.after
  const reason = changeOf(entry, 'reason')?.after
  return [
    remakeOf(entry),
    ...details,
    expected !== undefined && fill(t.timeline.expected, { day: date(String(expected)) }),
    named && fill(t.timeline.changed, { fields: named }),
    settled !== undefined && `${t.orders.settledTotal}: ${money(settled as Money)}`,
    fee !== undefined && `${t.orders.cancellationFee}: ${money(fee as Money)}`,
    reason !== undefined && String(reason),
  ].filter((text) => typeof text === 'string' && text !== '') as string[]
}

/** The side that has caused an entry; undefined where several can. */
function causeOf(entry: HistoryEntry, state: State | undefined): 'consumer' | 'maker' | undefined {
  const proposal = changeOf(entry, 'proposedRemakeQuantity')
  if (changeOf(entry, 'remadeQuantity')) return 'consumer'
  if (AGREED.some(([field]) => changeOf(entry, field)?.before !== undefined)) return undefined
  if (state === 'PLACED' || state === 'COMPLETED') return 'consumer'
  if (state !== undefined) return isMaker(state) ? 'maker' : undefined
  if (proposal) return proposal.after === undefined ? 'consumer' : 'maker'
  return changeOf(entry, 'expectedDate') || changeOf(entry, 'milestones') ? 'maker' : undefined
}

/** An entry of the history. One of shipped or received pieces alone says nothing that its shipment does not. */
function entryOf(entry: HistoryEntry, order: Order): Happening[] {
  const state = changeOf(entry, 'state')?.after as State | undefined
  const orgIds = { consumer: order.consumerOrgId, maker: order.manufacturerOrgId }
  const cause = causeOf(entry, state)
  const isFirst = entry.kind === 'CREATE' || entry.kind === 'BACKFILL'
  const details = isFirst ? [pieces(Number(changeOf(entry, 'quantity')?.after ?? order.quantity))] : detailsOf(entry)
  const [first, ...rest] = details
  if (state === undefined && first === undefined) return []
  const happening = { id: entry.id, at: entry.timestamp, by: cause && orgIds[cause] }
  return state === undefined
    ? [{ ...happening, what: first, detail: rest.join(' · ') }]
    : [{ ...happening, what: <Badge of="order" state={state} />, detail: details.join(' · ') }]
}

/** The departure, the arrival and the receipt of a shipment. */
function shipmentOf(shipment: Shipment, order: Order): Happening[] {
  const { id, quantity, shippedTime, arrivedTime, receivedTime, acceptedQuantity = 0, rejectedQuantity = 0 } = shipment
  const count = pieces(quantity)
  const outcome = { count, accepted: number(acceptedQuantity), rejected: number(rejectedQuantity) }
  const carriage = [shipment.carrier, shipment.trackingNumber].filter(Boolean).join(', ')
  const happenings: (Happening | undefined | '')[] = [
    receivedTime && {
      id: `${id} received`,
      at: receivedTime,
      what: fill(t.timeline.received, outcome),
      detail: shipment.reason,
      by: order.consumerOrgId,
    },
    arrivedTime && { id: `${id} arrived`, at: arrivedTime, what: fill(t.timeline.arrived, { count }) },
    {
      id: `${id} shipped`,
      at: shippedTime,
      what: fill(t.timeline.shipped, { count }),
      detail: carriage,
      by: order.manufacturerOrgId,
    },
  ]
  return happenings.filter((one): one is Happening => Boolean(one))
}

/** The proposal and the decision of a change request. */
function requestOf(request: ChangeRequest, order: Order): Happening[] {
  const { id, cancel, createdTime, decidedTime, proposedBy, state, reason, decisionReason } = request
  const sides = [order.consumerOrgId, order.manufacturerOrgId]
  const [own, other] = proposedBy === 'CONSUMER' ? sides : sides.toReversed()
  const what = cancel ? t.timeline.cancelProposed : t.timeline.changeProposed
  const detail = [...valuesOf(request).map(([name, ...values]) => `${name}: ${values.join(' → ')}`), reason].join(' · ')
  const proposal = { id: `${id} proposed`, at: createdTime, what, detail, by: own }
  if (!decidedTime || state === 'PROPOSED') return [proposal]
  const by = state === 'WITHDRAWN' ? undefined : other
  return [
    { id: `${id} decided`, at: decidedTime, what: t.timeline.change[state], detail: decisionReason, by },
    proposal,
  ]
}

interface TimelineProps {
  order: Order
  shipments: List<Shipment>
  changes: List<ChangeRequest>
}

/** What has happened to an order, newest first: its states, shipments, receipts, remakes and changes. */
export function OrderTimeline({ order, shipments, changes }: TimelineProps) {
  const history = useList('/v1/orders/{id}/history', { path: { id: order.id } })
  // What is older than the entries that are shown follows with them.
  const since = history.hasMore ? (history.data?.at(-1)?.timestamp ?? '') : ''
  const happenings = (entries: readonly HistoryEntry[]) =>
    [
      ...entries.flatMap((entry) => entryOf(entry, order)),
      ...(shipments.data ?? []).flatMap((shipment) => shipmentOf(shipment, order)),
      ...(changes.data ?? []).flatMap((request) => requestOf(request, order)),
    ]
      .filter(({ at }) => at >= since)
      .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
  return (
    <Section title={t.timeline.title}>
      <Shown read={history}>
        {(entries) => (
          <ol class="timeline">
            {happenings(entries).map(({ id, at, what, detail, by }) => (
              <li key={id}>
                {what} {detail && <span class="detail">{detail}</span>}
                <small class="quiet">
                  <time dateTime={at}>{time(at)}</time>
                  {by && ` · ${orgName(by)}`}
                </small>
              </li>
            ))}
          </ol>
        )}
      </Shown>
      <More list={history} />
    </Section>
  )
}
