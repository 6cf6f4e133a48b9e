import { type Narrator, withState } from './narrator.ts'
import type { Parties } from './parties.ts'
import { inDays } from './values.ts'

/** From the part to the invitations. */
export async function requestQuotations(
  narrator: Narrator,
  { designer, buyer, printer, welder, laser }: Parties,
): Promise<string> {
  narrator.chapter('A part')
  const draft = await narrator.step(
    `${designer.name} creates a part`,
    () =>
      designer.client.POST('/v1/parts', {
        body: {
          title: 'Impeller, cooling water pump',
          materialId: '316l',
          processId: 'pbf-metal',
          standardIds: ['iso-astm-52901'],
          boundingBox: { x: 120, y: 120, z: 45.5 },
        },
      }),
    ({ data: { id, serialNumber } }) => `${id}, ${serialNumber}`,
  )
  const { data: part } = await narrator.step(
    `${designer.name} publishes it`,
    () => designer.client.POST('/flows/v1/parts/{id}/publish', { params: { path: { id: draft.data.id } } }),
    withState,
  )

  narrator.chapter('A request for quotation')
  const { data: rfq } = await narrator.step(
    `${buyer.name} asks for 10 and 50 pieces with sealed prices`,
    () =>
      buyer.client.POST('/flows/v1/rfqs', {
        body: {
          partId: part.id,
          quantities: [10, 50],
          expireTime: inDays(30),
          currency: 'EUR',
          deliveryRegionCode: 'DK',
          incoterm: 'DAP',
          requirements: 'First article inspection of one piece.',
          sealed: true,
        },
      }),
    ({ data: { id, serialNumber, state } }) => `${id}, ${serialNumber} is ${state}`,
  )
  const params = { path: { id: rfq.id } }
  const { data: matches } = await narrator.step(
    'The marketplace finds factories that qualify',
    () => buyer.client.GET('/flows/v1/rfqs/{id}/matches', { params }),
    ({ data }) => `${data.items.length} factories`,
  )
  for (const { factory, requirements } of matches.items) {
    const missed = requirements.flatMap(({ reason }) => reason ?? [])
    narrator.show(`${factory.name}: ${missed.length === 0 ? 'meets every requirement' : missed.join('; ')}`)
  }
  const manufacturerIds = [printer, welder, laser].map(({ orgId }) => orgId)
  await narrator.step(
    `${buyer.name} invites their organizations`,
    () => buyer.client.POST('/flows/v1/rfqs/{id}/invite', { params, body: { manufacturerIds } }),
    ({ data }) => `${data.manufacturerIds.length} invited`,
  )
  await narrator.step(
    `${buyer.name} publishes the RFQ`,
    () => buyer.client.POST('/flows/v1/rfqs/{id}/publish', { params }),
    withState,
    // Its own case, and a conversation with each manufacturer.
    1 + manufacturerIds.length,
  )
  for (const { name, client } of [printer, welder, laser]) {
    await narrator.step(
      `${name} reads it and sees only itself invited`,
      () => client.GET('/v1/rfqs/{id}', { params }),
      ({ data }) => data.manufacturerIds.join(),
    )
  }
  await narrator.step(
    `${laser.name} declines`,
    () =>
      laser.client.POST('/flows/v1/rfqs/{id}/decline', {
        params,
        body: { reason: 'Our machines are booked until the summer.' },
      }),
    ({ data }) => data.id,
    // The conversation ends, and its own case tells why.
    2,
  )
  await narrator.step(
    `${buyer.name} looks at the invitations`,
    () => buyer.client.GET('/flows/v1/rfqs/{id}/invitations', { params }),
    ({ data }) => data.items.map(({ state }) => state).join(', '),
  )
  return rfq.id
}
