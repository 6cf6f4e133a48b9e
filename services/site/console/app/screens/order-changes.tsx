import { ORDER } from '../../../../../proto/states/orders.ts'
import { type ChangeRequest, type Order, post } from '../api.ts'
import { type List, useList } from '../data.ts'
import { amountText, date, money, number, time } from '../format.ts'
import { orgName } from '../names.tsx'
import { quantityAfter, takesEffect, totalAfter } from '../pieces.ts'
import { fill, t } from '../texts.ts'
import { Action, optionalReason, Reason, reasonOf } from '../ui/dialog.tsx'
import { amountOf, Field, FieldProblem, numberOf, textOf } from '../ui/form.tsx'
import { More, Table } from '../ui/list.tsx'
import { Badge, Facts, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Unfold } from '../ui/unfold.tsx'
import { mayChange, sideOf } from './order-parties.ts'

/** The change requests of an order, which its two sides read. */
export const useChanges = (order: Order) =>
  useList(sideOf(order) ? '/flows/v1/orders/{id}/change-requests' : undefined, {
    path: { id: order.id },
    query: { pageSize: 50 },
  })

const isProposed = ({ state }: ChangeRequest) => state === 'PROPOSED'

/** Whether a request of the other side waits for the caller. */
export const waitsForCaller = (order: Order, { data = [] }: List<ChangeRequest>) =>
  mayChange(order) && data.some((one) => isProposed(one) && one.proposedBy !== sideOf(order))

/** The organizations that have to decide a proposed request. */
export const decidersOf = (order: Order, { data = [] }: List<ChangeRequest>) =>
  data
    .filter(isProposed)
    .map(({ proposedBy }) => (proposedBy === 'CONSUMER' ? order.manufacturerOrgId : order.consumerOrgId))

const orgOf = (order: Order, side: ChangeRequest['proposedBy']) =>
  orgName(side === 'CONSUMER' ? order.consumerOrgId : order.manufacturerOrgId)

const otherOf = (order: Order) => orgOf(order, sideOf(order) === 'CONSUMER' ? 'MANUFACTURER' : 'CONSUMER')

type Row = readonly [what: string, before: string, after: string]

/** The values that a request changes: before and after. */
export function valuesOf({ quantity, dueDate, unitPrice, previous }: ChangeRequest): Row[] {
  const rows: (Row | false | undefined)[] = [
    quantity !== undefined && [t.orders.quantity, number(previous.quantity ?? 0), number(quantity)],
    dueDate !== undefined && [t.orders.due, date(previous.dueDate ?? dueDate), date(dueDate)],
    unitPrice && [t.comparison.unitPrice, money(previous.unitPrice ?? unitPrice), money(unitPrice)],
  ]
  return rows.filter((row) => row !== false && row !== undefined)
}

/** What a proposed request changes, with the total. */
function proposedOf(order: Order, request: ChangeRequest): Row[] {
  const { cancel, fee } = request
  const isEnd = cancel && !order.shippedQuantity
  const total: Row = [t.orders.total, money(order.total), money(totalAfter(order, request))]
  const rest: Row = [t.orders.quantity, number(order.quantity), number(quantityAfter(order, request))]
  const rows: Row[] = cancel
    ? isEnd
      ? [[t.orders.order, t.states.order[order.state], t.changes.cancelled]]
      : [rest, total]
    : [...valuesOf(request), total]
  return fee ? [...rows, [t.orders.cancellationFee, '–', money(fee)]] : rows
}

const Comparison = ({ order, request }: { order: Order; request: ChangeRequest }) => (
  <Table
    caption={t.changes.title}
    items={proposedOf(order, request)}
    idOf={([what]) => what}
    columns={[
      { label: t.changes.what, cell: ([what]) => what },
      { label: t.changes.old, cell: ([, before]) => before },
      { label: t.changes.new, cell: ([, , after]) => <strong>{after}</strong> },
    ]}
  />
)

/** Says when a request to cancel takes effect by itself. */
function Silence({ order, request }: { order: Order; request: Parameters<typeof takesEffect>[0] }) {
  const day = takesEffect(request, order, Date.now())
  if (!day) return null
  return <p class="hint">{fill(t.changes.silence, { other: orgOf(order, 'MANUFACTURER'), day: date(day) })}</p>
}

const decide = (
  order: Order,
  { id: changeRequestId }: ChangeRequest,
  verb: 'accept' | 'decline' | 'withdraw',
  body?: { reason?: string },
) => post(`/flows/v1/orders/{id}/change-requests/{changeRequestId}/${verb}`, { id: order.id, changeRequestId }, body)

/** A request that waits for the other side. */
function Proposed({ order, request }: { order: Order; request: ChangeRequest }) {
  const isOwn = request.proposedBy === sideOf(order)
  const may = mayChange(order)
  return (
    <article class="offer">
      <h3>
        {request.cancel ? t.timeline.cancelProposed : t.timeline.changeProposed}{' '}
        <Badge of="change" state={request.state} />
      </h3>
      <p class="quiet">
        {orgOf(order, request.proposedBy)}, {time(request.createdTime)}
      </p>
      <Comparison order={order} request={request} />
      <Facts of={[[t.ui.reason, request.reason]]} />
      <Silence order={order} request={request} />
      <div class="actions">
        <Action
          label={t.verbs.accept}
          hint={t.changes.acceptHint}
          when={may && !isOwn}
          isPrimary
          onRun={() => decide(order, request, 'accept')}
        >
          <Comparison order={order} request={request} />
        </Action>
        <Action
          label={t.verbs.decline}
          when={may && !isOwn}
          isDangerous
          onRun={(data) => decide(order, request, 'decline', optionalReason(data))}
        >
          <Reason isOptional />
        </Action>
        <Action label={t.verbs.withdraw} when={may && isOwn} onRun={() => decide(order, request, 'withdraw')} />
      </div>
    </article>
  )
}

/** A request that was decided, in one line of values. */
const Decided = ({ order, request }: { order: Order; request: ChangeRequest }) => (
  <li>
    <span>
      {request.cancel
        ? t.timeline.cancelProposed
        : valuesOf(request).map(([what, before, after]) => (
            <span key={what}>
              {what}: {before} → <strong>{after}</strong>{' '}
            </span>
          ))}
      <br />
      <small class="quiet">
        {orgOf(order, request.proposedBy)}, {time(request.decidedTime ?? request.createdTime)}: {request.reason}
        {request.decisionReason && ` ${fill(t.changes.whyDeclined, { reason: request.decisionReason })}`}
      </small>
    </span>
    <span class="end">
      <Badge of="change" state={request.state} />
    </span>
  </li>
)

/** The fields that a person has changed. */
function changedIn(data: FormData, order: Order) {
  const [quantity, dueDate, amount] = [numberOf(data, 'quantity'), textOf(data, 'dueDate'), amountOf(data, 'unitPrice')]
  const { currency } = order.unitPrice
  const body = {
    ...(quantity !== undefined && quantity !== order.quantity && { quantity }),
    ...(dueDate && dueDate !== order.dueDate && { dueDate }),
    ...(amount && amount !== order.unitPrice.amount && { unitPrice: { amount, currency } }),
  }
  if (Object.keys(body).length === 0) throw new FieldProblem('quantity', t.changes.nothing)
  return body
}

interface ProposeProps {
  order: Order
  when: boolean
}

const Propose = ({ order, when }: ProposeProps) => (
  <Action
    label={t.changes.propose}
    hint={fill(t.changes.proposeHint, { other: otherOf(order) })}
    when={when}
    onRun={async (data) =>
      post('/flows/v1/orders/{id}/change-requests', order.id, { ...changedIn(data, order), reason: reasonOf(data) })
    }
  >
    <div class="columns">
      <Field name="quantity" label={t.orders.quantity} type="number" value={String(order.quantity)} isFocused />
      <Field name="dueDate" label={t.orders.due} type="date" value={order.dueDate} />
      <Field
        name="unitPrice"
        label={fill(t.changes.unitPrice, order.unitPrice)}
        type="number"
        value={amountText(order.unitPrice.amount)}
      />
    </div>
    <Reason isLater />
  </Action>
)

function ProposeToCancel({ order, when }: ProposeProps) {
  const { currency } = order.unitPrice
  const cancel = (data: FormData) => {
    const amount = amountOf(data, 'fee')
    const fee = amount === undefined ? {} : { fee: { amount, currency } }
    return post('/flows/v1/orders/{id}/change-requests', order.id, { cancel: true, ...fee, reason: reasonOf(data) })
  }
  const hints = [fill(t.changes.cancelHint, { other: otherOf(order) }), order.shippedQuantity && t.changes.cancelRest]
  const request = { proposedBy: sideOf(order) ?? 'MANUFACTURER', cancel: true, createdTime: new Date().toISOString() }
  return (
    <Action label={t.changes.cancel} hint={hints.filter(Boolean).join(' ')} when={when} isDangerous onRun={cancel}>
      <Silence order={order} request={request} />
      <Field name="fee" label={fill(t.changes.fee, order.unitPrice)} type="number" isOptional />
      <Reason />
    </Action>
  )
}

/** What consumer and manufacturer propose to change, and what they have decided. */
export function Changes({ order, list }: { order: Order; list: List<ChangeRequest> }) {
  const isOpen = ORDER.isLegal('change', order.state)
  if (!sideOf(order) || (!isOpen && list.data?.length === 0)) return null
  const proposed = (list.data ?? []).filter(isProposed)
  const decided = (list.data ?? []).filter((one) => !isProposed(one))
  const isFree = isOpen && mayChange(order) && !proposed.some(({ proposedBy }) => proposedBy === sideOf(order))
  return (
    <Section
      title={t.changes.title}
      actions={
        <div class="actions">
          <Propose order={order} when={isFree} />
          <ProposeToCancel order={order} when={isFree} />
        </div>
      }
    >
      <Shown read={list} lines={2}>
        {(all) => (
          <>
            {all.length === 0 && <Empty>{t.changes.none}</Empty>}
            {proposed.map((request) => (
              <Proposed key={request.id} order={order} request={request} />
            ))}
            {decided.length > 0 && (
              <Unfold title={fill(t.changes.decided, { count: number(decided.length) })}>
                {() => (
                  <ul class="items">
                    {decided.map((request) => (
                      <Decided key={request.id} order={order} request={request} />
                    ))}
                  </ul>
                )}
              </Unfold>
            )}
          </>
        )}
      </Shown>
      <More list={list} />
    </Section>
  )
}
