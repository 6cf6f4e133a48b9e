import type { FactoryInput, Marketplace, OrgInput, OrgRole } from '../../../proto/clients/typescript/src/index.ts'
import { clientOf } from '../dev/client.ts'
import type { Narrator } from './narrator.ts'
import type { Maker, Parties, Party } from './parties.ts'

const steel = (technologyId: string, edge: number): NonNullable<FactoryInput['capabilities']> => [
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
} as const satisfies Record<string, FactoryInput>

/** Creates organizations whose names end with the number of this run. */
export async function createParties(
  narrator: Narrator,
  { operator, url }: { operator: Marketplace; url: string },
): Promise<Parties> {
  const run = crypto.randomUUID().slice(0, 6)

  const create = (name: string, roles: OrgRole[], regionCode: string) =>
    narrator.step(
      `The operator creates ${name}`,
      async (): Promise<Party> => {
        const request: OrgInput = {
          name: `${name} ${run}`,
          roles,
          regionCode,
          administrator: {
            email: `administrator@${name.toLowerCase().replaceAll(' ', '-')}-${run}.example.com`,
            givenName: 'Demo',
            familyName: name,
          },
        }
        const { data: org } = await operator.POST('/flows/v1/orgs', { body: request })
        const account = { url, email: request.administrator.email, password: crypto.randomUUID() }
        const token = new URL(org.activationUrl ?? '').hash.slice(1)
        await clientOf({ url }).POST('/flows/v1/activations', { body: { token, password: account.password } })
        return { orgId: org.id, name, client: clientOf(account) }
      },
      ({ orgId }) => `${orgId}, ${roles.join(' and ')}`,
    )

  const createMaker = async (name: string, regionCode: string, input: FactoryInput): Promise<Maker> => {
    const party = await create(name, ['MANUFACTURER'], regionCode)
    const factory = await narrator.step(
      `${name} registers its factory in ${input.address.locality}`,
      () => party.client.POST('/flows/v1/factories', { body: input }),
      ({ data }) => data.id,
    )
    return { ...party, factory: factory.data }
  }

  const designer = await create('Baltic Pumps', ['IP_OWNER'], 'DK')
  const buyer = await create('Oresund Ferries', ['CONSUMER'], 'DK')
  return {
    designer,
    buyer,
    seller: await create('Hansa Trading', ['SELLER'], 'DE'),
    printer: await createMaker('Fjord Print', 'NO', FACTORIES.printer),
    welder: await createMaker('Ruhr Additive', 'DE', FACTORIES.welder),
    laser: await createMaker('Odense Laser', 'DK', FACTORIES.laser),
  }
}
