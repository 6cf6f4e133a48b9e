import type { CreateOrgRequest } from '../../proto/http/organization/orgs.ts'
import type { Factory } from '../../proto/http/sourcing/factories.ts'
import type { CreateFactoryRequest } from '../../proto/http/sourcing/factory-administration.ts'
import type { OrgRole } from '../../proto/permissions.ts'
import { ApiClient } from '../../services/testing/client.ts'
import { ask, signIn } from '../client/requests.ts'
import type { Narrator } from './narrator.ts'

/** An organization of the demo, with its administrator signed in. */
export interface Party {
  orgId: string
  /** Without the number of the run. */
  name: string
  client: ApiClient
}

export interface Maker extends Party {
  factory: Factory
}

export interface Parties {
  /** Owns the design and needs the parts. */
  buyer: Party
  /** Distributor of the buyer, and seller of one of the orders. */
  trader: Party
  printer: Maker
  welder: Maker
  laser: Maker
}

const steel = (technologyId: string, edge: number): NonNullable<CreateFactoryRequest['capabilities']> => [
  { materialCode: '316l', technologyId, maxEnvelope: { x: edge, y: edge, z: edge } },
]

const FACTORIES = {
  printer: {
    name: 'Fjord Print, Bergen',
    address: { regionCode: 'NO', locality: 'Bergen', lines: ['Damsgårdsveien 165'] },
    capabilities: [
      {
        materialCode: '316l',
        technologyId: 'pbf-lb-m',
        standardCodes: ['iso-astm-52901'],
        maxEnvelope: { x: 400, y: 400, z: 380 },
      },
    ],
  },
  welder: {
    name: 'Ruhr Additive, Essen',
    address: { regionCode: 'DE', locality: 'Essen', postalCode: '45127', lines: ['Am Hauptbahnhof 3'] },
    capabilities: steel('pbf-eb-m', 250),
  },
  laser: {
    name: 'Odense Laser, Odense',
    address: { regionCode: 'DK', locality: 'Odense', postalCode: '5000', lines: ['Havnegade 20'] },
    capabilities: steel('pbf-lb-m', 100),
  },
} as const satisfies Record<string, CreateFactoryRequest>

/** Creates five organizations, whose names end with the number of this run, and releases the factories to the buyer. */
export async function createParties(narrator: Narrator, operator: ApiClient): Promise<Parties> {
  const run = crypto.randomUUID().slice(0, 6)

  const create = (name: string, roles: OrgRole[], regionCode: string, distributorOrgId?: string) =>
    narrator.step(
      `The operator creates ${name}`,
      async (): Promise<Party> => {
        const request: CreateOrgRequest = {
          name: `${name} ${run}`,
          roles,
          regionCode,
          ...(distributorOrgId === undefined ? {} : { engagement: 'DISTRIBUTOR', distributorOrgId }),
          administrator: {
            email: `administrator@${name.toLowerCase().replaceAll(' ', '-')}-${run}.example.com`,
            givenName: 'Demo',
            familyName: name,
          },
        }
        const org = await ask<{ id: string; activationUrl: string }>(operator, 'POST', '/flows/v1/orgs', request)
        const account = { url: operator.url, email: request.administrator.email, password: crypto.randomUUID() }
        const token = new URL(org.activationUrl).hash.slice(1)
        await ask(new ApiClient(operator.url), 'POST', '/flows/v1/activations', { token, password: account.password })
        return { orgId: org.id, name, client: await signIn(account) }
      },
      ({ orgId }) => `${orgId}, ${roles.join(' and ')}`,
    )

  const createMaker = async (name: string, regionCode: string, input: CreateFactoryRequest): Promise<Maker> => {
    const party = await create(name, ['MANUFACTURER'], regionCode)
    const factory = await narrator.step(
      `${name} registers its factory in ${input.address.locality}`,
      () => ask<Factory>(party.client, 'POST', '/flows/v1/factories', input),
      ({ id }) => id,
    )
    return { ...party, factory }
  }

  const trader = await create('Hansa Trading', ['DISTRIBUTOR', 'SELLER'], 'DE')
  const buyer = await create('Baltic Pumps', ['IP_OWNER', 'CONSUMER'], 'DK', trader.orgId)
  const printer = await createMaker('Fjord Print', 'NO', FACTORIES.printer)
  const welder = await createMaker('Ruhr Additive', 'DE', FACTORIES.welder)
  const laser = await createMaker('Odense Laser', 'DK', FACTORIES.laser)
  for (const { name, factory } of [printer, welder, laser]) {
    await narrator.step(
      `Hansa Trading releases the factory of ${name} to Baltic Pumps`,
      () => ask(trader.client, 'POST', `/flows/v1/factories/${factory.id}/release`, { orgId: buyer.orgId }),
      () => factory.id,
    )
  }
  return { buyer, trader, printer, welder, laser }
}
