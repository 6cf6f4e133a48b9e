import { describe, expect, test } from 'bun:test'
import type { Capability } from '../../../proto/http/sourcing/factories.ts'
import { REQUIREMENTS } from '../../../proto/http/sourcing/matches.ts'
import { boxInMm } from '../renderings/rules.ts'
import { matchesOf, type Requirements } from './matching.ts'

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
  capabilities: [mills, prints],
}
const impeller: Requirements = {
  materialCodes: ['316l'],
  technologyIds: ['pbf-eb-m', 'pbf-lb-m'],
  standardCodes: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  boundingBox: { x: 120, y: 120, z: 45.5 },
  needsRelease: true,
}

const match = (requirements: Partial<Requirements> = {}, changes: Partial<typeof factory> = {}, released = true) =>
  matchesOf({ ...factory, ...changes }, { ...impeller, ...requirements }, { released })

/** The reasons of the requirements that are not met. */
const reasonsOf = (matches: ReturnType<typeof matchesOf>) =>
  Object.fromEntries(matches.flatMap(({ requirement, met, reason }) => (met ? [] : [[requirement, reason]])))

/** A part that needs nothing but its material. */
const undemanding = {
  technologyIds: [],
  standardCodes: [],
  criticalityIds: [],
  boundingBox: undefined,
  needsRelease: false,
}

test('a factory that meets every requirement has a match with the capability of each', () => {
  const matches = match()
  expect(matches.map(({ requirement }) => requirement)).toEqual([...REQUIREMENTS])
  expect(matches.map(({ met }) => met)).toEqual(REQUIREMENTS.map(() => true))
  expect(matches.flatMap(({ capability }) => capability ?? [])).toEqual([prints, prints, prints, prints, prints])
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

test('of several capabilities that meet a requirement, the one that lacks the least of all is named', () => {
  const bare = { ...prints, standardCodes: [], maxEnvelope: { x: 10 } }
  expect(match({}, { capabilities: [bare, prints] }).flatMap(({ capability }) => capability ?? [])).toEqual(
    Array(5).fill(prints),
  )
})

test('requirements that the part does not have are omitted', () => {
  const matches = match({ ...undemanding, materialCodes: ['6061', 'in718'] })
  expect(matches).toEqual([{ requirement: 'material', met: true, capability: mills }])
  expect(match({ ...undemanding, boundingBox: {} })).toHaveLength(1)
})

describe('each requirement that is not met has its reason', () => {
  test.each([
    [{}, false, { released: 'the distributor has not released the factory' }],
    [{ technologyIds: ['turn', 'swiss'] }, true, { technology: 'no capability uses turn or swiss' }],
    [{ standardCodes: ['as9100', 'iso-astm-52901'] }, true, { standards: 'pbf-lb-m of 316l lacks as9100' }],
    // Only the capability of another material has the standard.
    [{ standardCodes: ['iso-9001'] }, true, { standards: 'pbf-lb-m of 316l lacks iso-9001' }],
    [{ criticalityIds: ['nasa-6030-a'] }, true, { criticalities: 'pbf-lb-m of 316l lacks nasa-6030-a' }],
    [{ boundingBox: { x: 401, y: 400, z: 380.1 } }, true, { envelope: 'pbf-lb-m of 316l is too small along x, z' }],
  ])('%j, released %p: %j', (requirements, released, reasons) => {
    expect(reasonsOf(match(requirements, {}, released))).toEqual(reasons as Record<string, string>)
  })

  test('a material that no capability works leaves nothing to meet the others', () => {
    const reason = 'no capability covers the material'
    expect(reasonsOf(match({ materialCodes: ['ti6al4v-grade-5'] }))).toEqual({
      material: 'no capability covers ti6al4v-grade-5',
      standards: reason,
      criticalities: reason,
      envelope: reason,
    })
    expect(reasonsOf(match({ materialCodes: [] })).material).toBe('the part names no material')
  })
})

test('each reason is also a code with its values', () => {
  const missesOf = (matches: ReturnType<typeof matchesOf>) =>
    Object.fromEntries(matches.flatMap(({ requirement, miss }) => (miss ? [[requirement, miss]] : [])))
  expect(missesOf(match())).toEqual({})
  const closest = { materialCode: '316l', technologyId: 'pbf-lb-m' }
  const demands = {
    standardCodes: ['as9100', 'iso-astm-52901'],
    criticalityIds: ['nasa-6030-a'],
    boundingBox: { x: 401, y: 1, z: 381 },
  }
  expect(missesOf(match(demands, {}, false))).toEqual({
    released: { code: 'NOT_RELEASED' },
    standards: { code: 'LACKING', ...closest, values: ['as9100'] },
    criticalities: { code: 'LACKING', ...closest, values: ['nasa-6030-a'] },
    envelope: { code: 'TOO_SMALL', ...closest, values: ['x', 'z'] },
  })
  expect(missesOf(match({ materialCodes: ['6061', 'ti6al4v-grade-5'], technologyIds: ['turn', 'swiss'] }))).toEqual({
    material: { code: 'NO_CAPABILITY', values: ['6061', 'ti6al4v-grade-5'] },
    technology: { code: 'NO_CAPABILITY', values: ['turn', 'swiss'] },
    standards: { code: 'MATERIAL_NOT_COVERED' },
    criticalities: { code: 'MATERIAL_NOT_COVERED' },
    envelope: { code: 'MATERIAL_NOT_COVERED' },
  })
  expect(missesOf(match({ ...undemanding, materialCodes: [] }))).toEqual({
    material: { code: 'PART_WITHOUT_MATERIAL' },
  })
})

test('an envelope without an axis, and a part without a box, are not limited', () => {
  const unlimited = { ...prints, maxEnvelope: { x: 100 } }
  expect(reasonsOf(match({ boundingBox: { x: 100, y: 9999 } }, { capabilities: [unlimited] }))).toEqual({})
  expect(reasonsOf(match({ boundingBox: undefined }, { capabilities: [unlimited] }))).toEqual({})
})

test('a box in inches is compared in millimetres', () => {
  expect(boxInMm({ x: 10, z: 0.5 }, 'IMPERIAL')).toEqual({ x: 254, z: 12.7 })
  expect(boxInMm({ x: 10 }, 'METRIC')).toEqual({ x: 10 })
  expect(boxInMm({ y: 10 }, undefined)).toEqual({ y: 10 })
})
