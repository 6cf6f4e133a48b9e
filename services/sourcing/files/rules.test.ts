import { expect, test } from 'bun:test'
import { FILE_GROUPS } from '../../../proto/http/sourcing/files.ts'
import { hasTooManyFiles, isWithinQuota, mayBePublic, visibleGroups } from './rules.ts'

test('the IP owner sees every group of files, others see previews and documents', () => {
  expect([...visibleGroups(true)]).toEqual(['preview', 'document', 'ip', 'partDevelopment', 'development'])
  expect([...visibleGroups(false)]).toEqual(['preview', 'document'])
})

test('the groups that may be public are preview and document', () => {
  expect(FILE_GROUPS.filter(mayBePublic)).toEqual(['preview', 'document'])
})

test('a part may have 200 files, and an organization exactly its limit of bytes', () => {
  expect([hasTooManyFiles(200), hasTooManyFiles(201)]).toEqual([false, true])
  expect([isWithinQuota(10, { maxStoredBytes: 10 }), isWithinQuota(11, { maxStoredBytes: 10 })]).toEqual([true, false])
})
