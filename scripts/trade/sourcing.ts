import type { FactoryMatch } from '../../proto/http/sourcing/matches.ts'
import type { Part } from '../../proto/http/sourcing/parts.ts'
import type { RfqInvitation } from '../../proto/http/sourcing/rfq-lifecycle.ts'
import type { Rfq } from '../../proto/http/sourcing/rfqs.ts'
import { ask, type Page } from '../client/requests.ts'
import { inDays, type Narrator, withState } from './narrator.ts'
import type { Parties } from './parties.ts'

/** From the part to the invitations. */
export async function requestQuotations(
  narrator: Narrator,
  { designer, buyer, printer, welder, laser }: Parties,
): Promise<string> {
  narrator.chapter('A part')
  const draft = await narrator.step(
    `${designer.name} creates a part`,
    () =>
      ask<{ id: string; serialNumber: string }>(designer.client, 'POST', '/v1/parts', {
        title: 'Impeller, cooling water pump',
        materialId: '316l',
        processId: 'pbf-metal',
        standardIds: ['iso-astm-52901'],
        boundingBox: { x: 120, y: 120, z: 45.5 },
      }),
    ({ id, serialNumber }) => `${id}, ${serialNumber}`,
  )
  const part = await narrator.step(
    `${designer.name} publishes it`,
    () => ask<Part>(designer.client, 'POST', `/flows/v1/parts/${draft.id}/publish`),
    withState,
  )

  narrator.chapter('A request for quotation')
  const rfq = await narrator.step(
    `${buyer.name} asks for 10 and 50 pieces with sealed prices`,
    () =>
      ask<Rfq>(buyer.client, 'POST', '/flows/v1/rfqs', {
        partId: part.id,
        quantities: [10, 50],
        expireTime: inDays(30),
        currency: 'EUR',
        deliveryRegionCode: 'DK',
        incoterm: 'DAP',
        requirements: 'First article inspection of one piece.',
        sealed: true,
      }),
    ({ id, serialNumber, state }) => `${id}, ${serialNumber} is ${state}`,
  )
  const matches = await narrator.step(
    'The marketplace finds factories that qualify',
    () => ask<Page<FactoryMatch>>(buyer.client, 'GET', `/flows/v1/rfqs/${rfq.id}/matches`),
    ({ items }) => `${items.length} factories`,
  )
  for (const { factory, requirements } of matches.items) {
    const missed = requirements.flatMap(({ reason }) => reason ?? [])
    narrator.show(`${factory.name}: ${missed.length === 0 ? 'meets every requirement' : missed.join('; ')}`)
  }
  const manufacturerIds = [printer, welder, laser].map(({ orgId }) => orgId)
  await narrator.step(
    `${buyer.name} invites their organizations`,
    () => ask<Rfq>(buyer.client, 'POST', `/flows/v1/rfqs/${rfq.id}/invite`, { manufacturerIds }),
    ({ manufacturerIds: invited }) => `${invited.length} invited`,
  )
  await narrator.step(
    `${buyer.name} publishes the RFQ`,
    () => ask<Rfq>(buyer.client, 'POST', `/flows/v1/rfqs/${rfq.id}/publish`),
    withState,
    1,
  )
  for (const { name, client } of [printer, welder, laser]) {
    await narrator.step(
      `${name} reads it and sees only itself invited`,
      () => ask<Rfq>(client, 'GET', `/v1/rfqs/${rfq.id}`),
      ({ manufacturerIds: visible }) => visible.join(),
    )
  }
  await narrator.step(
    `${laser.name} declines`,
    () =>
      ask<Rfq>(laser.client, 'POST', `/flows/v1/rfqs/${rfq.id}/decline`, {
        reason: 'Our machines are booked until the summer.',
      }),
    ({ id }) => id,
    1,
  )
  await narrator.step(
    `${buyer.name} looks at the invitations`,
    () => ask<Page<RfqInvitation>>(buyer.client, 'GET', `/flows/v1/rfqs/${rfq.id}/invitations`),
    ({ items }) => items.map(({ state }) => state).join(', '),
  )
  return rfq.id
}
