import type { Order, Shipment } from '../../../proto/clients/typescript/src/index.ts'
import { type Narrator, withState } from './narrator.ts'
import type { Parties, Party } from './parties.ts'
import { inDays } from './values.ts'

type Verb = 'confirm' | 'start' | 'resume' | 'inspect' | 'deliver' | 'accept-remake' | 'complete'

/** Both orders up to their completion: one with a hold, a rework and a rejected piece, the other with a later day. */
export async function produce(
  narrator: Narrator,
  { designer, buyer, seller, printer, welder }: Parties,
  { printed, welded }: { printed: Order; welded: Order },
): Promise<void> {
  const does = (who: Party, what: string, request: () => Promise<{ data: Order }>) =>
    narrator.step(`${who.name} ${what}`, request, withState, 1)
  const act = (who: Party, { id }: Order, what: string, verb: Verb) =>
    does(who, what, () => who.client.POST(`/flows/v1/orders/{id}/${verb}`, { params: { path: { id } } }))

  narrator.chapter(`Order ${printed.serialNumber}`)
  const params = { path: { id: printed.id } }
  await act(printer, printed, 'confirms', 'confirm')
  const milestones = [
    { name: 'First article inspection', plannedTime: inDays(14) },
    { name: 'Delivery', plannedTime: inDays(28) },
  ]
  await does(printer, 'plans its milestones', () =>
    printer.client.POST('/flows/v1/orders/{id}/milestones', { params, body: { milestones } }),
  )
  await act(printer, printed, 'starts the production', 'start')
  const failed = { reason: 'The powder batch failed its test.' }
  await does(printer, 'puts it on hold', () =>
    printer.client.POST('/flows/v1/orders/{id}/hold', { params, body: failed }),
  )
  await act(printer, printed, 'resumes', 'resume')
  await act(printer, printed, 'inspects', 'inspect')
  const faulty = { reason: 'Two bores are out of tolerance.' }
  await does(printer, 'reworks', () => printer.client.POST('/flows/v1/orders/{id}/rework', { params, body: faulty }))
  await act(printer, printed, 'inspects again', 'inspect')
  const shipped = async (quantity: number) =>
    narrator.step(
      `${printer.name} ships ${quantity} pieces`,
      () =>
        printer.client.POST('/flows/v1/orders/{id}/shipments', {
          params,
          body: { quantity, carrier: 'Nordic Freight', trackingNumber: 'NF-2207-0042' },
        }),
      withState,
      1,
    )
  const received = ({ id: shipmentId, quantity }: Shipment, rejectedQuantity: number) =>
    narrator.step(
      `${buyer.name} accepts ${quantity - rejectedQuantity} and rejects ${rejectedQuantity}`,
      () =>
        buyer.client.POST('/flows/v1/orders/{id}/shipments/{shipmentId}/receive', {
          params: { path: { id: printed.id, shipmentId } },
          body: {
            acceptedQuantity: quantity - rejectedQuantity,
            rejectedQuantity,
            ...(rejectedQuantity > 0 && { reason: 'One bore is out of tolerance.' }),
          },
        }),
      withState,
      // A rejection also opens a case.
      rejectedQuantity > 0 ? 2 : 1,
    )
  await received((await shipped(18)).data, 0)
  await received((await shipped(12)).data, 1)
  await does(printer, 'proposes to make it again', () =>
    printer.client.POST('/flows/v1/orders/{id}/remake', { params, body: { quantity: 1 } }),
  )
  await act(buyer, printed, 'agrees', 'accept-remake')
  await received((await shipped(1)).data, 0)
  await act(buyer, printed, 'accepts the goods', 'complete')
  const history = await narrator.step(
    `${buyer.name} reads its history, newest first`,
    () => buyer.client.GET('/v1/orders/{id}/history', { params: { ...params, query: { pageSize: 50 } } }),
    ({ data }) => `${data.items.length} entries`,
  )
  for (const { timestamp, kind, changes } of history.data.items) {
    const state = changes.find(({ field }) => field === 'state')
    const others = changes.map(({ field }) => field).join(', ')
    narrator.show(`${timestamp}  ${kind === 'CREATE' ? 'placed' : state ? `${state.before} → ${state.after}` : others}`)
  }

  narrator.chapter(`Order ${welded.serialNumber}`)
  await act(welder, welded, 'confirms', 'confirm')
  const dueDate = inDays(60).slice(0, 'YYYY-MM-DD'.length)
  const ofWelded = { path: { id: welded.id } }
  const { data: change } = await narrator.step(
    `${buyer.name} asks for a later day`,
    () =>
      buyer.client.POST('/flows/v1/orders/{id}/change-requests', {
        params: ofWelded,
        body: { dueDate, reason: 'The pump is delivered later.' },
      }),
    withState,
    1,
  )
  await narrator.step(
    `${welder.name} accepts`,
    () =>
      welder.client.POST('/flows/v1/orders/{id}/change-requests/{changeRequestId}/accept', {
        params: { path: { id: welded.id, changeRequestId: change.id } },
      }),
    withState,
    1,
  )
  await act(welder, welded, 'starts the production', 'start')
  await act(welder, welded, 'inspects', 'inspect')
  await does(welder, 'ships', () =>
    welder.client.POST('/flows/v1/orders/{id}/ship', { params: { path: { id: welded.id } }, body: {} }),
  )
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
      () => client.GET('/v1/orders', { params: { query: { view, pageSize } } }),
      ({ data }) => data.items.map(({ serialNumber, state }) => `${serialNumber} is ${state}`).join(', '),
    )
  }
}
