import type { FactoryInput } from '../../../proto/http/sourcing/factory-administration.ts'
import type { Part, PartInput } from '../../../proto/http/sourcing/parts.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import { RUHR_FACTORIES, TANJONG_FACTORIES, VESTLAND_FACTORIES } from './factory-story.ts'

/**
 * An organization of the demo. A shipping company needs an impeller for a cooling water pump: Skagen Pumps owns the
 * drawings, three manufacturers can make the part, and casting takes too long.
 */
export interface DemoOrganization {
  key: string
  name: string
  roles: OrgRole[]
  regionCode: string
  /** The key of the distributor through which the organization is engaged. */
  distributor?: string
  /** The system roles of the member. */
  memberRoles: string[]
  people: { administrator: Person; member: Person; guest: Person }
  /** The name of a service account, and its system role. */
  program?: { name: string; role: string }
  businessUnits?: string[]
  customFields?: { name: string; options: string[] }[]
  parts?: DemoPart[]
  factories?: FactoryInput[]
  /** Factories that the distributor releases, by name, to organizations, by key. */
  releases?: { factory: string; to: string }[]
}

export interface Person {
  givenName: string
  familyName: string
}

export interface DemoPart {
  state: Part['state']
  businessUnit?: string
  /** A custom field and the option that the part has. */
  customOption?: [field: string, option: string]
  input: PartInput
}

const DOMAIN = 'example.com'

export const emailOf = ({ givenName, familyName }: Person, { key }: Pick<DemoOrganization, 'key'>) =>
  `${givenName}.${familyName}@${key}.${DOMAIN}`.toLowerCase()

export const websiteOf = ({ key }: Pick<DemoOrganization, 'key'>) => `https://${key}.${DOMAIN}`

const people = (administrator: string, member: string, guest: string) => ({
  administrator: personOf(administrator),
  member: personOf(member),
  guest: personOf(guest),
})

function personOf(name: string): Person {
  const [givenName = '', familyName = ''] = name.split(' ')
  return { givenName, familyName }
}

export const OPERATOR: DemoOrganization = {
  key: 'harbourlight',
  name: 'Harbourlight Marketplace',
  roles: [],
  regionCode: 'NO',
  memberRoles: ['Administrator'],
  people: people('Ingrid Solberg', 'Tomas Lind', 'Petra Novak'),
}

export const ORGANIZATIONS: readonly DemoOrganization[] = [
  {
    key: 'hansa-marine',
    name: 'Hansa Marine Supply',
    roles: ['DISTRIBUTOR'],
    regionCode: 'DE',
    memberRoles: ['Distributor'],
    people: people('Friederike Brandt', 'Jonas Petersen', 'Lena Vogt'),
    releases: [
      { factory: 'Ruhr Präzision, Essen', to: 'saaremaa-ferries' },
      { factory: 'Vestland Additive, Bergen', to: 'saaremaa-ferries' },
    ],
  },
  {
    key: 'nordhavn',
    name: 'Nordhavn Shipping',
    roles: ['CONSUMER'],
    regionCode: 'DK',
    memberRoles: ['Buyer'],
    people: people('Astrid Holm', 'Mikkel Friis', 'Signe Dahl'),
  },
  {
    key: 'saaremaa-ferries',
    name: 'Saaremaa Ferries',
    roles: ['CONSUMER'],
    regionCode: 'EE',
    distributor: 'hansa-marine',
    memberRoles: ['Buyer'],
    people: people('Kadri Tamm', 'Rein Saar', 'Liis Kask'),
  },
  {
    key: 'aurora-offshore',
    name: 'Aurora Offshore',
    roles: ['CONSUMER', 'IP_OWNER'],
    regionCode: 'NO',
    memberRoles: ['Buyer', 'IP owner'],
    people: people('Kari Bakke', 'Eirik Moen', 'Hanne Lie'),
    businessUnits: ['Subsea', 'Topside'],
    customFields: [{ name: 'Maintenance class', options: ['Critical spare', 'Consumable'] }],
    parts: [
      {
        state: 'PUBLISHED',
        businessUnit: 'Subsea',
        customOption: ['Maintenance class', 'Critical spare'],
        input: {
          title: 'Valve body, choke insert',
          externalRef: 'AUR-CV-2207',
          description: 'Body of the choke insert of a subsea tree, in contact with produced water.',
          materialId: 'super-duplex-2507',
          processId: 'ded-metal',
          keywords: ['choke', 'valve', 'subsea'],
          unitSystem: 'METRIC',
          boundingBox: { x: 310, y: 240, z: 240 },
          documentationRequirementNotes: 'EN 10204 3.2 certificate; full NDT records.',
        },
      },
      {
        state: 'DRAFT',
        businessUnit: 'Topside',
        customOption: ['Maintenance class', 'Consumable'],
        input: {
          title: 'Cable clamp, drag chain',
          externalRef: 'AUR-CC-0034',
          description: 'Clamp for the umbilical in a drag chain.',
          materialId: 'pa12',
          processId: 'pbf-polymer',
          keywords: ['clamp', 'cable'],
          unitSystem: 'METRIC',
          boundingBox: { x: 85, y: 40, z: 22.5 },
        },
      },
    ],
  },
  {
    key: 'skagen-pumps',
    name: 'Skagen Pumps',
    roles: ['IP_OWNER'],
    regionCode: 'DK',
    memberRoles: ['IP owner'],
    people: people('Bodil Krogh', 'Anders Juhl', 'Maja Bech'),
    program: { name: 'ERP connector', role: 'IP owner' },
    businessUnits: ['Marine pumps', 'Spare parts'],
    customFields: [
      { name: 'Lifecycle', options: ['Current', 'Phase-out', 'Legacy'] },
      { name: 'Export control', options: ['None', 'Dual use'] },
    ],
    parts: [
      {
        state: 'PUBLISHED',
        businessUnit: 'Spare parts',
        customOption: ['Lifecycle', 'Legacy'],
        input: {
          title: 'Impeller, cooling water pump SP-120',
          externalRef: 'SKP-IMP-120-B',
          description: 'Closed impeller with six vanes, 120 mm, for the sea water cooling pump of auxiliary engines.',
          materialId: '316l',
          processId: 'pbf-metal',
          keywords: ['impeller', 'pump', 'spare'],
          unitSystem: 'METRIC',
          boundingBox: { x: 120, y: 120, z: 45.5 },
          metadata: { pump: 'SP-120', drawingRevision: 'B' },
          descriptionManufacturer:
            'Build upright, treat by HIP, then machine the bore and the wear ring seat according to the drawing.',
          documentationRequirementNotes: 'EN 10204 3.1 certificate and dimensional report.',
          otherRequirementNotes: 'Balance to grade G6.3 of ISO 21940-11.',
        },
      },
      {
        state: 'PUBLISHED',
        businessUnit: 'Spare parts',
        customOption: ['Lifecycle', 'Current'],
        input: {
          title: 'Wear ring, cooling water pump SP-120',
          externalRef: 'SKP-WR-120-A',
          description: 'Wear ring between casing and impeller.',
          materialId: 'nickel-aluminium-bronze',
          processId: 'turning-metal',
          keywords: ['wear ring', 'pump', 'spare'],
          unitSystem: 'METRIC',
          boundingBox: { x: 96, y: 96, z: 18 },
        },
      },
      {
        state: 'PUBLISHED',
        businessUnit: 'Marine pumps',
        customOption: ['Lifecycle', 'Current'],
        input: {
          title: 'Volute casing, cooling water pump SP-120',
          externalRef: 'SKP-VC-120-C',
          description: 'Spiral casing with a flanged DN 50 outlet.',
          materialId: 'gjs-400',
          processId: 'sand-casting-metal',
          keywords: ['casing', 'pump', 'casting'],
          unitSystem: 'METRIC',
          boundingBox: { x: 340, y: 290, z: 180 },
        },
      },
      {
        state: 'PUBLISHED',
        businessUnit: 'Marine pumps',
        input: {
          title: 'Leak test fixture, SP series',
          externalRef: 'SKP-FIX-007',
          description: 'Fixture for the leak test of SP pumps on the test bench.',
          materialId: '6061',
          processId: 'milling-metal',
          keywords: ['fixture', 'test'],
          internal: true,
          unitSystem: 'METRIC',
          boundingBox: { x: 260, y: 180, z: 60 },
        },
      },
      {
        state: 'ARCHIVED',
        businessUnit: 'Spare parts',
        customOption: ['Lifecycle', 'Legacy'],
        input: {
          title: 'Impeller, cooling water pump SP-120, first design',
          externalRef: 'SKP-IMP-120-A',
          description: 'Open impeller with five vanes, replaced by SKP-IMP-120-B.',
          materialId: '316l',
          processId: 'pbf-metal',
          keywords: ['impeller', 'pump'],
          unitSystem: 'METRIC',
          boundingBox: { x: 120, y: 120, z: 41 },
        },
      },
      {
        state: 'DRAFT',
        businessUnit: 'Spare parts',
        customOption: ['Lifecycle', 'Phase-out'],
        input: {
          title: 'Shaft sleeve, cooling water pump SP-080',
          externalRef: 'SKP-SS-080-A',
          materialType: 'metal',
          keywords: ['sleeve', 'pump'],
        },
      },
    ],
  },
  {
    key: 'vestland-additive',
    name: 'Vestland Additive',
    roles: ['MANUFACTURER'],
    regionCode: 'NO',
    memberRoles: ['Manufacturer'],
    people: people('Solveig Nes', 'Lars Haugen', 'Oda Vik'),
    factories: VESTLAND_FACTORIES,
  },
  {
    key: 'ruhr-praezision',
    name: 'Ruhr Präzision',
    roles: ['MANUFACTURER'],
    regionCode: 'DE',
    memberRoles: ['Manufacturer'],
    people: people('Katharina Weber', 'Stefan Krause', 'Nele Schulz'),
    factories: RUHR_FACTORIES,
  },
  {
    key: 'tanjong-castings',
    name: 'Tanjong Castings',
    roles: ['MANUFACTURER'],
    regionCode: 'SG',
    memberRoles: ['Manufacturer'],
    people: people('Mei Tan', 'Arun Nair', 'Siti Rahman'),
    factories: TANJONG_FACTORIES,
  },
  {
    key: 'maas-trading',
    name: 'Maas Parts Trading',
    roles: ['SELLER'],
    regionCode: 'NL',
    memberRoles: ['Seller'],
    people: people('Femke Jansen', 'Daan Visser', 'Sanne Bakker'),
  },
]
