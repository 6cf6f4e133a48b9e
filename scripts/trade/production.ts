import type { Static } from '@sinclair/typebox'
import type { HistoryEntry } from '../../proto/http/sourcing/history.ts'
import type { Order } from '../../proto/http/sourcing/orders.ts'
import { ask, type Page } from '../client/requests.ts'
import { inDays, type Narrator, withState } from './narrator.ts'
import type { Parties, Party } from './parties.ts'

type Entry = Static<typeof HistoryEntry>

/** Both orders up to their completion, one of them with a hold and a rework. */
export async function produce(
  narrator: Narrator,
  { designer, buyer, seller, printer, welder }: Parties,
  { printed, welded }: { printed: Order; welded: Order },
): Promise<void> {
  const act = (who: Party, { id }: Order, what: string, verb: string, body?: unknown) =>
    narrator.step(
      `${who.name} ${what}`,
      () => ask<Order>(who.client, 'POST', `/flows/v1/orders/${id}/${verb}`, body),
      withState,
      1,
    )

  narrator.chapter(`Order ${printed.serialNumber}`)
  await act(printer, printed, 'confirms', 'confirm')
  await act(printer, printed, 'plans its milestones', 'milestones', {
    milestones: [
      { name: 'First article inspection', plannedTime: inDays(14) },
      { name: 'Delivery', plannedTime: inDays(28) },
    ],
  })
  await act(printer, printed, 'starts the production', 'start')
  await act(printer, printed, 'puts it on hold', 'hold', { reason: 'The powder batch failed its test.' })
  await act(printer, printed, 'resumes', 'resume')
  await act(printer, printed, 'inspects', 'inspect')
  await act(printer, printed, 'reworks', 'rework', { reason: 'Two bores are out of tolerance.' })
  await act(printer, printed, 'inspects again', 'inspect')
  await act(printer, printed, 'ships', 'ship', { carrier: 'Nordic Freight', trackingNumber: 'NF-2207-0042' })
  await act(seller, printed, 'records the delivery', 'deliver')
  await act(buyer, printed, 'accepts the goods', 'complete')
  const history = await narrator.step(
    `${buyer.name} reads its history, newest first`,
    () => ask<Page<Entry>>(buyer.client, 'GET', `/v1/orders/${printed.id}/history?pageSize=50`),
    ({ items }) => `${items.length} entries`,
  )
  for (const { timestamp, kind, changes } of history.items) {
    const state = changes.find(({ field }) => field === 'state')
    const others = changes.map(({ field }) => field).join(', ')
    narrator.show(`${timestamp}  ${kind === 'CREATE' ? 'placed' : state ? `${state.before} → ${state.after}` : others}`)
  }

  narrator.chapter(`Order ${welded.serialNumber}`)
  await act(welder, welded, 'confirms', 'confirm')
  await act(welder, welded, 'starts the production', 'start')
  await act(welder, welded, 'inspects', 'inspect')
  await act(welder, welded, 'ships', 'ship')
  await act(seller, welded, 'records the delivery', 'deliver')
  await act(buyer, welded, 'accepts the goods', 'complete')

  narrator.chapter('What each organization sees')
  for (const [{ name, client }, view, pageSize] of [
    [buyer, 'CONSUMER', 2],
    [designer, 'IP_OWNER', 2],
    [seller, 'SELLER', 2],
    [printer, 'MANUFACTURER', 1],
    [welder, 'MANUFACTURER', 1],
  ] as const) {
    await narrator.step(
      `${name} finds the orders as ${view}`,
      () => ask<Page<Order>>(client, 'GET', `/v1/orders?view=${view}&pageSize=${pageSize}`),
      (orders) => orders.items.map(({ serialNumber, state }) => `${serialNumber} is ${state}`).join(', '),
    )
  }
}
