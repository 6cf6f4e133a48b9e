import { describe, expect, test } from 'bun:test'
import { expiryOf } from './rules.ts'

const now = Date.parse('2026-04-29T09:10:00.000Z')

describe('expiryOf', () => {
  test('defaults to an hour from now and allows at most 24 hours', () => {
    expect(expiryOf(undefined, now)).toBe('2026-04-29T10:10:00.000Z')
    expect(expiryOf('2026-04-30T11:10:00+02:00', now)).toBe('2026-04-30T09:10:00.000Z')
    expect(expiryOf('2026-04-30T09:10:00.001Z', now)).toBeUndefined()
    expect(expiryOf('2026-04-29T09:10:00.000Z', now)).toBeUndefined()
    expect(expiryOf('2020-01-01T00:00:00Z', now)).toBeUndefined()
  })
})
