import { describe, expect, test } from 'bun:test'
import { FILE_GROUPS, type FileGroup } from '../../../proto/http/sourcing/files.ts'
import { hasRoomFor, isTooMany, mayBePublic, type Relation, visibleGroups } from './rules.ts'

describe('who sees which group of files', () => {
  const table: Record<Relation, FileGroup[]> = {
    OWNER: ['preview', 'document', 'ip', 'partDevelopment', 'development'],
    MAKER: ['preview', 'document', 'ip'],
    PARTY: ['preview', 'document'],
    ANYONE: ['preview', 'document'],
  }

  test.each(Object.entries(table) as [Relation, FileGroup[]][])('%s', (relation, groups) => {
    expect([...visibleGroups(relation)]).toEqual(groups)
  })
})

test('what is public is what anybody sees', () => {
  expect(FILE_GROUPS.filter(mayBePublic)).toEqual([...visibleGroups('ANYONE')])
})

test('limits are reached, not touched', () => {
  expect([isTooMany(200), isTooMany(201)]).toEqual([false, true])
  expect([hasRoomFor(10, { maxStoredBytes: 10 }), hasRoomFor(11, { maxStoredBytes: 10 })]).toEqual([true, false])
})
