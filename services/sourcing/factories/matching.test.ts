import { describe, expect, test } from 'bun:test'
import type { Capability } from '../../../proto/http/sourcing/factories.ts'
import { matchesOf, qualifies, REQUIREMENTS, type Requirements } from './matching.ts'

const prints: Capability = {
  materialCode: '316l',
  technologyId: 'pbf-lb-m',
  processType: 'additive_manufacturing',
  standardCodes: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  maxEnvelope: { x: 400, y: 400, z: 380 },
}
const mills: Capability = {
  materialCode: 'in718',
  technologyId: 'mill-5',
  processType: 'cnc',
  standardCodes: ['iso-9001'],
  criticalityIds: [],
}
const factory = {
  active: true,
  internal: false,
  address: { regionCode: 'NO', locality: 'Bergen', lines: [] },
  capabilities: [mills, prints],
}
const impeller: Requirements = {
  materialCodes: ['316l'],
  technologyIds: ['pbf-eb-m', 'pbf-lb-m'],
  standardCodes: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  boundingBox: { x: 120, y: 120, z: 45.5 },
  regionCode: '150',
}

const match = (requirements: Partial<Requirements> = {}, changes: Partial<typeof factory> = {}, released = true) =>
  matchesOf({ ...factory, ...changes }, { ...impeller, ...requirements }, { released })

/** The reasons of the requirements that are not met. */
const reasonsOf = (matches: ReturnType<typeof matchesOf>) =>
  Object.fromEntries(matches.flatMap((one) => (one.met ? [] : [[one.requirement, one.reason]])))

test('a factory that meets every requirement qualifies, with the capability of each', () => {
  const matches = match()
  expect(qualifies(matches)).toBe(true)
  expect(matches.map(({ requirement }) => requirement)).toEqual([...REQUIREMENTS])
  const capabilities = matches.flatMap((one) => (one.met && one.capability ? [one.capability] : []))
  expect(capabilities).toEqual([prints, prints, prints, prints, prints])
})

test('material and technology may be met by different capabilities', () => {
  const matches = match({ technologyIds: ['mill-5'] })
  expect(reasonsOf(matches)).toEqual({})
  expect(matches.find(({ requirement }) => requirement === 'technology')).toEqual({
    requirement: 'technology',
    met: true,
    capability: mills,
  })
})

test('a part without requirements but a material type is met by any material of the type', () => {
  const open = {
    technologyIds: [],
    standardCodes: [],
    criticalityIds: [],
    boundingBox: undefined,
    regionCode: undefined,
  }
  expect(qualifies(match({ ...open, materialCodes: ['6061', 'in718'] }))).toBe(true)
})

describe('each requirement that is not met has its reason', () => {
  test.each([
    [{}, { active: false }, true, { active: 'the factory is inactive or internal' }],
    [{}, { internal: true }, true, { active: 'the factory is inactive or internal' }],
    [{}, {}, false, { released: 'the distributor has not released the factory' }],
    [{ regionCode: 'EU' }, {}, true, { region: 'NO is not in EU' }],
    [{ technologyIds: ['turn', 'swiss'] }, {}, true, { technology: 'no capability uses turn or swiss' }],
    [{ standardCodes: ['as9100', 'iso-astm-52901'] }, {}, true, { standards: 'pbf-lb-m of 316l lacks as9100' }],
    // Only the capability of another material has the standard.
    [{ standardCodes: ['iso-9001'] }, {}, true, { standards: 'pbf-lb-m of 316l lacks iso-9001' }],
    [{ criticalityIds: ['nasa-6030-a'] }, {}, true, { criticalities: 'pbf-lb-m of 316l lacks nasa-6030-a' }],
    [{ boundingBox: { x: 401, y: 400, z: 380.1 } }, {}, true, { envelope: 'pbf-lb-m of 316l is too small along x, z' }],
  ])('%j %j, released %p: %j', (requirements, changes, released, reasons) => {
    const matches = match(requirements, changes, released)
    expect([reasonsOf(matches), qualifies(matches)] as unknown[]).toEqual([reasons, false])
  })

  test('a material that no capability works leaves nothing to meet the others', () => {
    const reason = 'no capability works the material'
    expect(reasonsOf(match({ materialCodes: ['ti6al4v-grade-5'] }))).toEqual({
      material: 'no capability works ti6al4v-grade-5',
      standards: reason,
      criticalities: reason,
      envelope: reason,
    })
    expect(reasonsOf(match({ materialCodes: [] })).material).toBe('the part names no material')
  })
})

test('an envelope without an axis, and a part without a box, are not limited', () => {
  const unlimited = { ...prints, maxEnvelope: { x: 100 } }
  expect(reasonsOf(match({ boundingBox: { x: 100, y: 9999 } }, { capabilities: [unlimited] }))).toEqual({})
  expect(reasonsOf(match({ boundingBox: undefined }, { capabilities: [unlimited] }))).toEqual({})
})
