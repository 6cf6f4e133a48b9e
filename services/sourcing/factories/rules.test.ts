import { expect, test } from 'bun:test'
import { capabilitiesOf, capabilityProblems } from './rules.ts'

const resolved = {
  processTypes: new Map([['pbf-lb-m', 'additive_manufacturing'] as const]),
  unknownMaterials: new Set(['unobtainium']),
  unknownStandards: new Set(['iso-0']),
  unknownCriticalities: new Set(['none']),
}

test('equal capabilities are merged, and lists have no duplicates', () => {
  const capability = { materialCode: '316l', technologyId: 'pbf-lb-m' }
  const standards = ['iso-9001', 'iso-astm-52901', 'iso-9001']
  expect(
    capabilitiesOf(
      [{ ...capability, standardCodes: standards }, capability, { ...capability, maxEnvelope: {} }],
      resolved,
    ),
  ).toEqual([
    {
      ...capability,
      standardCodes: ['iso-9001', 'iso-astm-52901'],
      criticalityIds: [],
      processType: 'additive_manufacturing',
    },
    { ...capability, standardCodes: [], criticalityIds: [], processType: 'additive_manufacturing' },
  ])
})

test('capabilities that differ in their envelope are not merged', () => {
  const capability = { materialCode: '316l', technologyId: 'pbf-lb-m' }
  const sent = [
    { ...capability, maxEnvelope: { x: 400 } },
    { ...capability, maxEnvelope: { y: 400 } },
  ]
  expect(capabilitiesOf(sent, resolved).map(({ maxEnvelope }) => maxEnvelope)).toEqual([{ x: 400 }, { y: 400 }])
})

test('each unknown id is named with its position', () => {
  const problems = capabilityProblems(
    [
      { materialCode: '316l', technologyId: 'pbf-lb-m', standardCodes: ['iso-9001', 'iso-0'] },
      { materialCode: 'unobtainium', technologyId: 'alchemy', criticalityIds: ['none'] },
    ],
    resolved,
  )
  expect(problems.map(({ field }) => field)).toEqual([
    'capabilities.0.standardCodes.1',
    'capabilities.1.materialCode',
    'capabilities.1.technologyId',
    'capabilities.1.criticalityIds.0',
  ])
})
