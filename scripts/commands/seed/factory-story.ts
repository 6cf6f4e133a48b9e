import type { FactoryInput } from '../../../proto/http/sourcing/factory-administration.ts'

/** The factories of the demo's manufacturers. Together they can make its parts, each in its own way. */
export const VESTLAND_FACTORIES: FactoryInput[] = [
  {
    name: 'Vestland Additive, Bergen',
    address: { regionCode: 'NO', locality: 'Bergen', postalCode: '5165', lines: ['Damsgårdsveien 165'] },
    capabilities: [
      {
        materialCode: '316l',
        technologyId: 'pbf-lb-m',
        standardCodes: ['iso-astm-52901', 'iso-astm-52920', 'dnv-st-b203'],
        criticalityIds: ['dnv-st-b203-amc-2', 'api-20s-amsl-2'],
        maxEnvelope: { x: 400, y: 400, z: 380 },
      },
      {
        materialCode: 'in718',
        technologyId: 'pbf-lb-m',
        standardCodes: ['astm-f3055'],
        criticalityIds: ['api-20s-amsl-2'],
        maxEnvelope: { x: 400, y: 400, z: 380 },
      },
      {
        materialCode: 'super-duplex-2507',
        technologyId: 'ded-arc',
        standardCodes: ['norsok-m-650', 'en-10204-3.2'],
        criticalityIds: ['dnv-st-b203-amc-2'],
        maxEnvelope: { x: 1500, y: 1200, z: 900 },
      },
    ],
  },
  {
    name: 'Vestland Additive, Stord polymer hall',
    address: { regionCode: 'NO', locality: 'Stord', postalCode: '5416', lines: ['Leirvik'] },
    capabilities: [
      { materialCode: 'pa12', technologyId: 'pbf-lb-p', maxEnvelope: { x: 340, y: 340, z: 600 } },
      { materialCode: 'pa12', technologyId: 'pbf-irl-p', maxEnvelope: { x: 380, y: 284, z: 380 } },
    ],
  },
  {
    name: 'Vestland Additive, process laboratory',
    internal: true,
    address: { regionCode: 'NO', locality: 'Bergen', lines: [] },
    capabilities: [{ materialCode: 'ti6al4v-grade-5', technologyId: 'pbf-eb-m' }],
  },
]

export const RUHR_FACTORIES: FactoryInput[] = [
  {
    name: 'Ruhr Präzision, Essen',
    address: { regionCode: 'DE', locality: 'Essen', postalCode: '45141', lines: ['Schützenbahn 70', 'Halle 4'] },
    capabilities: [
      {
        materialCode: '316l',
        technologyId: 'mill-5',
        standardCodes: ['iso-9001'],
        maxEnvelope: { x: 800, y: 800, z: 550 },
      },
      {
        materialCode: '6061',
        technologyId: 'mill-3',
        standardCodes: ['iso-9001'],
        maxEnvelope: { x: 1000, y: 600, z: 500 },
      },
      {
        materialCode: 'nickel-aluminium-bronze',
        technologyId: 'turn',
        standardCodes: ['iso-9001', 'en-10204-3.1'],
        maxEnvelope: { x: 500, y: 500, z: 1200 },
      },
      {
        materialCode: '316l',
        technologyId: 'pbf-lb-m',
        standardCodes: ['iso-9001'],
        maxEnvelope: { x: 250, y: 250, z: 300 },
      },
    ],
  },
]

export const TANJONG_FACTORIES: FactoryInput[] = [
  {
    name: 'Tanjong Castings, Tuas foundry',
    address: { regionCode: 'SG', locality: 'Singapore', postalCode: '638350', lines: ['Tuas South Street 3'] },
    capabilities: [
      {
        materialCode: 'gjs-400',
        technologyId: 'sc-bjt',
        standardCodes: ['iso-9001', 'en-10204-3.1'],
        maxEnvelope: { x: 1800, y: 1000, z: 700 },
      },
      {
        materialCode: 'nickel-aluminium-bronze',
        technologyId: 'sc-bjt',
        standardCodes: ['iso-9001'],
        maxEnvelope: { x: 1800, y: 1000, z: 700 },
      },
      {
        materialCode: '316l',
        technologyId: 'ic-pp',
        standardCodes: ['iso-9001'],
        maxEnvelope: { x: 300, y: 300, z: 300 },
      },
    ],
  },
]
