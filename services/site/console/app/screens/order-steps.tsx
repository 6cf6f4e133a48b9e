import type { ComponentChildren } from 'preact'
import { ORDER } from '../../../../../proto/states/orders.ts'
import { type Order, post } from '../api.ts'
import { money, number, pieces } from '../format.ts'
import { is, mayUse } from '../me.ts'
import { orgName } from '../names.tsx'
import { openRejection, piecesLeft, totalOf, unreceived } from '../pieces.ts'
import { fill, t } from '../texts.ts'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Field, numberOf } from '../ui/form.tsx'
import { Facts } from '../ui/page.tsx'
import { deliveryOf } from './order-parties.ts'
import { Ship } from './order-shipments.tsx'
import { withFee } from './order-totals.ts'
import { ReleasedFiles } from './released-files.tsx'

type Plain = 'confirm' | 'start' | 'inspect' | 'resume'
type Reasoned = 'decline' | 'cancel' | 'hold' | 'rework'

/** A step with whether it is offered, and whether it leads on. */
interface Step {
  when: boolean
  leadsOn?: boolean
  show: (is: { when: boolean; isPrimary: boolean }) => ComponentChildren
}

const plain = (order: Order, verb: Plain): Step => ({
  when: mayUse(ORDER, verb, order),
  leadsOn: verb !== 'inspect',
  show: (is) => (
    <Action
      key={verb}
      label={t.verbs[verb]}
      hint={verb === 'confirm' && !order.filesReleasedTime ? t.orders.confirmEndsRelease : t.orders.hints[verb]}
      onRun={() => post(`/flows/v1/orders/{id}/${verb}`, order.id)}
      {...is}
    />
  ),
})

const reasoned = (order: Order, verb: Reasoned, isDangerous = false): Step => ({
  when: mayUse(ORDER, verb, order) && !(verb === 'cancel' && order.shippedQuantity),
  show: (is) => (
    <Action
      key={verb}
      label={verb === 'cancel' ? t.orders.cancel : t.verbs[verb]}
      isDangerous={isDangerous}
      onRun={(data) => post(`/flows/v1/orders/{id}/${verb}`, order.id, { reason: reasonOf(data) })}
      {...is}
    >
      <Reason />
    </Action>
  ),
})

const ship = (order: Order): Step => ({
  when: mayUse(ORDER, 'addShipment', order) && piecesLeft(order) > 0,
  leadsOn: true,
  show: (is) => <Ship key="ship" order={order} {...is} />,
})

/** The receipt of everything by the consumer, or the arrival that the manufacturer or the seller records. */
function deliver(order: Order): Step {
  const isReceipt = is('consumer', order)
  return {
    when: deliveryOf(order) !== undefined,
    leadsOn: true,
    show: (is) => (
      <Action
        key="deliver"
        label={isReceipt ? t.verbs.acceptAll : t.verbs.recordArrival}
        hint={
          isReceipt
            ? fill(t.orders.hints.acceptAll, { count: number(unreceived(order)) })
            : t.orders.hints.recordArrival
        }
        onRun={() => post('/flows/v1/orders/{id}/deliver', order.id)}
        {...is}
      />
    ),
  }
}

const complete = (order: Order): Step => ({
  when: mayUse(ORDER, 'complete', order) && openRejection(order) === 0,
  leadsOn: true,
  show: (is) => (
    <Action
      key="complete"
      label={t.verbs.complete}
      hint={t.orders.hints.complete}
      onRun={() => post('/flows/v1/orders/{id}/complete', order.id)}
      {...is}
    />
  ),
})

/** The end of an order with rejected pieces, of which only the accepted ones are paid. */
function settle(order: Order): Step {
  const { acceptedQuantity = 0, unitPrice, toolingCost, shippingCost, sellerFee } = order
  const fee = withFee({ ...order, settledTotal: totalOf(order, acceptedQuantity) })
  return {
    when: mayUse(ORDER, 'settle', order) && Boolean(order.rejectedQuantity) && unreceived(order) === 0,
    leadsOn: order.state === 'DELIVERED' && openRejection(order) > 0,
    show: (is) => (
      <Action
        key="settle"
        label={t.verbs.settle}
        hint={t.orders.hints.settle}
        onRun={() => post('/flows/v1/orders/{id}/complete', order.id, { settle: true })}
        {...is}
      >
        <Facts
          of={[
            [t.orders.accepted, `${number(acceptedQuantity)} × ${money(unitPrice)}`],
            [t.comparison.tooling, toolingCost && money(toolingCost)],
            [t.comparison.shipping, shippingCost && money(shippingCost)],
            [t.orders.settledTotal, <strong key="total">{money(totalOf(order, acceptedQuantity))}</strong>],
            [t.orders.sellerFee, sellerFee && money(sellerFee)],
            [t.orders.withFee, fee && <strong key="fee">{fee}</strong>],
          ]}
        />
      </Action>
    ),
  }
}

const remake = (order: Order): Step => ({
  when: mayUse(ORDER, 'remake', order) && openRejection(order) > 0 && order.proposedRemakeQuantity === undefined,
  leadsOn: true,
  show: (is) => (
    <Action
      key="remake"
      label={t.verbs.remake}
      hint={t.orders.hints.remake}
      onRun={(data) =>
        post('/flows/v1/orders/{id}/remake', order.id, { quantity: numberOf(data, 'quantity') as number })
      }
      {...is}
    >
      <Field
        name="quantity"
        label={t.shipments.quantity}
        type="number"
        value={String(openRejection(order))}
        isFocused
      />
    </Action>
  ),
})

const decideRemake = (
  order: Order,
  verb: 'acceptRemake' | 'declineRemake',
  path: 'accept-remake' | 'decline-remake',
): Step => ({
  when: mayUse(ORDER, verb, order) && order.proposedRemakeQuantity !== undefined,
  leadsOn: verb === 'acceptRemake',
  show: (is) => (
    <Action
      key={verb}
      label={t.verbs[verb]}
      hint={fill(t.orders.hints[verb], {
        maker: orgName(order.manufacturerOrgId),
        count: pieces(order.proposedRemakeQuantity ?? 0),
      })}
      onRun={() => post(`/flows/v1/orders/{id}/${path}`, order.id)}
      {...is}
    />
  ),
})

const release = (order: Order): Step => ({
  when: mayUse(ORDER, 'releaseFiles', order) && order.filesReleasedTime === undefined,
  leadsOn: true,
  show: (is) => (
    <Action
      key="releaseFiles"
      label={t.verbs.releaseFiles}
      hint={t.orders.releaseHint}
      onRun={() => post('/flows/v1/orders/{id}/release-files', order.id)}
      {...is}
    >
      <ReleasedFiles {...order} manufacturerIds={[order.manufacturerOrgId]} />
    </Action>
  ),
})

/** The steps in the order of their use: those that lead on, then the others. */
const stepsOf = (order: Order): readonly Step[] => [
  plain(order, 'confirm'),
  decideRemake(order, 'acceptRemake', 'accept-remake'),
  plain(order, 'start'),
  plain(order, 'resume'),
  ship(order),
  remake(order),
  deliver(order),
  complete(order),
  settle(order),
  release(order),
  plain(order, 'inspect'),
  decideRemake(order, 'declineRemake', 'decline-remake'),
  reasoned(order, 'rework'),
  reasoned(order, 'hold'),
  reasoned(order, 'decline', true),
  reasoned(order, 'cancel', true),
]

/**
 * The steps that the state of the order and the role of the caller allow. The first one that leads on is emphasized,
 * unless something else waits for the caller.
 */
export function Steps({ order, isElsewhere }: { order: Order; isElsewhere: boolean }) {
  const steps = stepsOf(order)
  const first = isElsewhere ? undefined : steps.find(({ when, leadsOn }) => when && leadsOn)
  return <>{steps.map((step) => step.show({ when: step.when, isPrimary: step === first }))}</>
}
