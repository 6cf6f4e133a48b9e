import type { PartInput } from '../../proto/http/sourcing/parts.ts'
import type { OrgRole } from '../../proto/permissions.ts'

/**
 * The demo's story: the cooling water pump of a feeder vessel loses its impeller in Rotterdam. The pump's maker owns the
 * drawings, three manufacturers could make the part, and the ship cannot wait for a casting.
 */
export interface DemoOrganization {
  key: string
  name: string
  roles: OrgRole[]
  regionCode: string
  website: string
  /** Key of the distributor it is engaged through. */
  distributor?: string
  /** System roles of the member who does the organization's work. */
  work: string[]
  people: { administrator: Person; member: Person; guest: Person }
  businessUnits?: string[]
  customFields?: { name: string; options: string[] }[]
  parts?: DemoPart[]
}

export interface Person {
  givenName: string
  familyName: string
}

export interface DemoPart {
  published: boolean
  businessUnit?: string
  /** Name of a custom field, and of the option chosen. */
  choice?: [field: string, option: string]
  input: PartInput
}

export const EMAIL_DOMAIN = 'example.com'

export const emailOf = ({ givenName, familyName }: Person, { key }: Pick<DemoOrganization, 'key'>) =>
  `${givenName}.${familyName}@${key}.${EMAIL_DOMAIN}`.toLowerCase()

const person = (givenName: string, familyName: string): Person => ({ givenName, familyName })

export const OPERATOR: DemoOrganization = {
  key: 'harbourlight',
  name: 'Harbourlight Marketplace',
  roles: [],
  regionCode: 'NO',
  website: 'https://harbourlight.example.com',
  work: ['Administrator'],
  people: {
    administrator: person('Ingrid', 'Solberg'),
    member: person('Tomas', 'Lind'),
    guest: person('Petra', 'Novak'),
  },
}

export const ORGANIZATIONS: readonly DemoOrganization[] = [
  {
    key: 'hansa-marine',
    name: 'Hansa Marine Supply',
    roles: ['DISTRIBUTOR'],
    regionCode: 'DE',
    website: 'https://hansa-marine.example.com',
    work: ['Distributor'],
    people: {
      administrator: person('Friederike', 'Brandt'),
      member: person('Jonas', 'Petersen'),
      guest: person('Lena', 'Vogt'),
    },
  },
  {
    key: 'nordhavn',
    name: 'Nordhavn Shipping',
    roles: ['CONSUMER'],
    regionCode: 'DK',
    website: 'https://nordhavn.example.com',
    work: ['Buyer'],
    people: {
      administrator: person('Astrid', 'Holm'),
      member: person('Mikkel', 'Friis'),
      guest: person('Signe', 'Dahl'),
    },
  },
  {
    key: 'saaremaa-ferries',
    name: 'Saaremaa Ferries',
    roles: ['CONSUMER'],
    regionCode: 'EE',
    website: 'https://saaremaa-ferries.example.com',
    distributor: 'hansa-marine',
    work: ['Buyer'],
    people: {
      administrator: person('Kadri', 'Tamm'),
      member: person('Rein', 'Saar'),
      guest: person('Liis', 'Kask'),
    },
  },
  {
    key: 'aurora-offshore',
    name: 'Aurora Offshore',
    roles: ['CONSUMER', 'IP_OWNER'],
    regionCode: 'NO',
    website: 'https://aurora-offshore.example.com',
    work: ['Buyer', 'IP owner'],
    people: {
      administrator: person('Kari', 'Bakke'),
      member: person('Eirik', 'Moen'),
      guest: person('Hanne', 'Lie'),
    },
    businessUnits: ['Subsea', 'Topside'],
    customFields: [{ name: 'Maintenance class', options: ['Critical spare', 'Consumable'] }],
    parts: [
      {
        published: true,
        businessUnit: 'Subsea',
        choice: ['Maintenance class', 'Critical spare'],
        input: {
          title: 'Valve body, choke insert',
          externalRef: 'AUR-CV-2207',
          description: 'Body of the choke insert of a subsea tree; wetted by produced water.',
          materialId: 'super-duplex-2507',
          processId: 'ded-metal',
          keywords: ['choke', 'valve', 'subsea'],
          unitSystem: 'METRIC',
          boundingBox: { x: 310, y: 240, z: 240 },
          documentationRequirementNotes: 'EN 10204 3.2 certificate; full NDT records.',
        },
      },
      {
        published: false,
        businessUnit: 'Topside',
        choice: ['Maintenance class', 'Consumable'],
        input: {
          title: 'Cable clamp, drag chain',
          externalRef: 'AUR-CC-0034',
          description: 'Clamp that holds the umbilical in the drag chain.',
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
    website: 'https://skagen-pumps.example.com',
    work: ['IP owner'],
    people: {
      administrator: person('Bodil', 'Krogh'),
      member: person('Anders', 'Juhl'),
      guest: person('Maja', 'Bech'),
    },
    businessUnits: ['Marine pumps', 'Spare parts'],
    customFields: [
      { name: 'Lifecycle', options: ['Current', 'Phase-out', 'Legacy'] },
      { name: 'Export control', options: ['None', 'Dual use'] },
    ],
    parts: [
      {
        published: true,
        businessUnit: 'Spare parts',
        choice: ['Lifecycle', 'Legacy'],
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
          descriptionManufacturer: 'Build upright, HIP, then machine bore and wear ring seat to the drawing.',
          documentationRequirementNotes: 'EN 10204 3.1 certificate and dimensional report.',
          otherRequirementNotes: 'Balance to G6.3.',
        },
      },
      {
        published: true,
        businessUnit: 'Spare parts',
        choice: ['Lifecycle', 'Current'],
        input: {
          title: 'Wear ring, cooling water pump SP-120',
          externalRef: 'SKP-WR-120-A',
          description: 'Wear ring of the casing; runs against the impeller.',
          materialId: 'nickel-aluminium-bronze',
          processId: 'turning-metal',
          keywords: ['wear ring', 'pump', 'spare'],
          unitSystem: 'METRIC',
          boundingBox: { x: 96, y: 96, z: 18 },
        },
      },
      {
        published: true,
        businessUnit: 'Marine pumps',
        choice: ['Lifecycle', 'Current'],
        input: {
          title: 'Volute casing, cooling water pump SP-120',
          externalRef: 'SKP-VC-120-C',
          description: 'Spiral casing with flanged outlet DN 50.',
          materialId: 'gjs-400',
          processId: 'sand-casting-metal',
          keywords: ['casing', 'pump', 'casting'],
          unitSystem: 'METRIC',
          boundingBox: { x: 340, y: 290, z: 180 },
        },
      },
      {
        published: true,
        businessUnit: 'Marine pumps',
        input: {
          title: 'Leak test fixture, SP series',
          externalRef: 'SKP-FIX-007',
          description: 'Fixture of our own test bench.',
          materialId: '6061',
          processId: 'milling-metal',
          keywords: ['fixture', 'test'],
          internal: true,
          unitSystem: 'METRIC',
          boundingBox: { x: 260, y: 180, z: 60 },
        },
      },
      {
        published: false,
        businessUnit: 'Spare parts',
        choice: ['Lifecycle', 'Phase-out'],
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
    website: 'https://vestland-additive.example.com',
    work: ['Manufacturer'],
    people: {
      administrator: person('Solveig', 'Nes'),
      member: person('Lars', 'Haugen'),
      guest: person('Oda', 'Vik'),
    },
  },
  {
    key: 'ruhr-praezision',
    name: 'Ruhr Präzision',
    roles: ['MANUFACTURER'],
    regionCode: 'DE',
    website: 'https://ruhr-praezision.example.com',
    work: ['Manufacturer'],
    people: {
      administrator: person('Katharina', 'Weber'),
      member: person('Stefan', 'Krause'),
      guest: person('Nele', 'Schulz'),
    },
  },
  {
    key: 'tanjong-castings',
    name: 'Tanjong Castings',
    roles: ['MANUFACTURER'],
    regionCode: 'SG',
    website: 'https://tanjong-castings.example.com',
    work: ['Manufacturer'],
    people: {
      administrator: person('Mei', 'Tan'),
      member: person('Arun', 'Nair'),
      guest: person('Siti', 'Rahman'),
    },
  },
  {
    key: 'maas-trading',
    name: 'Maas Parts Trading',
    roles: ['SELLER'],
    regionCode: 'NL',
    website: 'https://maas-trading.example.com',
    work: ['Seller'],
    people: {
      administrator: person('Femke', 'Jansen'),
      member: person('Daan', 'Visser'),
      guest: person('Sanne', 'Bakker'),
    },
  },
]
