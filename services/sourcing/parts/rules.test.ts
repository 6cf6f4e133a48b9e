import { describe, expect, test } from 'bun:test'
import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import { contentOf, GUARDS, type Resolved, referenceProblems } from './rules.ts'

const resolved = (changes: Partial<Resolved> = {}): Resolved => ({
  materialType: 'metal',
  process: { materialType: 'metal', technologyIds: ['pbf-lb-m'] },
  unknown: { standardIds: [], criticalityIds: [], categoryIds: [], unspscCategoryIds: [], businessUnitIds: [] },
  knownOptions: new Set(['field_1/option_1', 'field_1/option_2']),
  ...changes,
})
const fieldsOf = (input: PartInput, found: Resolved) =>
  referenceProblems(contentOf(input), found, input).map((p) => p.field)

describe('ids of a part', () => {
  test('known ids are accepted', () => {
    expect(fieldsOf({ materialId: '316l', materialType: 'metal', processId: 'pbf-metal' }, resolved())).toEqual([])
  })

  test('an unknown material or process is refused', () => {
    const nothing = resolved({ materialType: null, process: null })
    expect(fieldsOf({ materialId: 'x', processId: 'y' }, nothing)).toEqual(['materialId', 'processId'])
  })

  test('a materialType that contradicts the materialId is refused', () => {
    expect(fieldsOf({ materialId: '316l', materialType: 'polymer' }, resolved())).toContain('materialType')
  })

  test('a process of another material type than the material is refused', () => {
    const polymer = resolved({ process: { materialType: 'polymer', technologyIds: [] } })
    expect(fieldsOf({ materialId: '316l', processId: 'pbf-polymer' }, polymer)).toEqual(['processId'])
    const typeOnly = resolved({ materialType: null, process: { materialType: 'polymer', technologyIds: [] } })
    expect(fieldsOf({ materialType: 'metal', processId: 'pbf-polymer' }, typeOnly)).toEqual(['processId'])
  })

  test('an unknown list entry is refused with its index', () => {
    const unknown = { ...resolved().unknown, standardIds: ['nope'] }
    expect(fieldsOf({ standardIds: ['iso-9001', 'nope'] }, resolved({ unknown }))).toEqual(['standardIds.1'])
    expect(fieldsOf({ standardIds: ['iso-9001', 'iso-9001', 'nope'] }, resolved({ unknown }))).toEqual([
      'standardIds.2',
    ])
    // If a patch does not contain the list, the index is that of the stored list.
    const content = contentOf({ standardIds: ['iso-9001', 'nope'] })
    expect(referenceProblems(content, resolved({ unknown }), { title: 'x' })[0]?.field).toBe('standardIds.1')
  })

  test("an option of another organization, and a field's second option, are refused", () => {
    const pick = (optionId: string, fieldId = 'field_1') => ({ fieldId, optionId })
    expect(fieldsOf({ customFields: [pick('option_9')] }, resolved())).toEqual(['customFields.0'])
    expect(fieldsOf({ customFields: [pick('option_1'), pick('option_2')] }, resolved())).toEqual(['customFields.1'])
    const twice = [pick('option_1'), pick('option_1'), pick('option_9')]
    expect(fieldsOf({ customFields: twice }, resolved())).toEqual(['customFields.2'])
  })
})

describe('publishing', () => {
  test('requires a title, and a material or its type', () => {
    expect(GUARDS.hasRequiredFields({}).map((p) => p.field)).toEqual(['title', 'materialType'])
    expect(GUARDS.hasRequiredFields({ title: 'x', materialType: 'wax' })).toEqual([])
    expect(GUARDS.hasRequiredFields({ title: 'x', materialId: '316l' })).toEqual([])
  })
})

test('repeated values are merged in the order of the first', () => {
  expect(contentOf({ keywords: ['b', 'a', 'b'] }).keywords).toEqual(['b', 'a'])
  expect(contentOf({})).toMatchObject({ keywords: [], internal: false, metadata: {} })
})
