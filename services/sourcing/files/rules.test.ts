import { describe, expect, test } from 'bun:test'
import { FILE_GROUPS, type FileGroup } from '../../../proto/http/sourcing/files.ts'
import { hasTooManyFiles, isWithinQuota, mayBePublic, type Relation, visibleGroups } from './rules.ts'

describe('the visible groups of files of a relation', () => {
  const table: Record<Relation, FileGroup[]> = {
    OWNER: ['preview', 'document', 'ip', 'partDevelopment', 'development'],
    MANUFACTURER: ['preview', 'document', 'ip'],
    OTHER: ['preview', 'document'],
  }

  test.each(Object.entries(table) as [Relation, FileGroup[]][])('%s', (relation, groups) => {
    expect([...visibleGroups(relation)]).toEqual(groups)
  })
})

test('the groups that may be public are preview and document', () => {
  expect(FILE_GROUPS.filter(mayBePublic)).toEqual(['preview', 'document'])
})

test('a part may have 200 files, and an organization exactly its limit of bytes', () => {
  expect([hasTooManyFiles(200), hasTooManyFiles(201)]).toEqual([false, true])
  expect([isWithinQuota(10, { maxStoredBytes: 10 }), isWithinQuota(11, { maxStoredBytes: 10 })]).toEqual([true, false])
})
