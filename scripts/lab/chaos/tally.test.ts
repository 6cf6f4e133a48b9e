import { describe, expect, test } from 'bun:test'
import { countReceipts, lineOf, readReceipts } from './receipts.ts'
import { tallyOf } from './tally.ts'

const id = (number: number) => `evt_${String(number).padStart(26, '0')}`
const receipt = (endpoint: number, event: number, atMs = 1000) => ({ endpoint, id: id(event), atMs })
const NONE = { received: 0, doubled: 0, lost: [], claimed: 0, late: 0 }

describe('the tally', () => {
  const expected = new Map([
    [1, [id(1), id(2)]],
    [2, [id(1)]],
  ])

  test('of all expected receipts has nothing lost and nothing doubled', () => {
    expect(tallyOf(expected, [receipt(1, 1), receipt(1, 2), receipt(2, 1)], [], 0)).toEqual({ ...NONE, received: 3 })
  })

  test('names a missing event with its endpoint, and counts a repeated one', () => {
    expect(tallyOf(expected, [receipt(1, 1), receipt(1, 1), receipt(1, 2)], [], 0)).toEqual({
      ...NONE,
      received: 2,
      doubled: 1,
      lost: [`2 ${id(1)}`],
    })
  })

  test('after a pause counts receipts as late that come 15 s later, or are more than may be claimed', () => {
    const receipts = [999, 1001, 1002, 16_000, 16_001, 20_001].map((atMs, event) => receipt(3, event, atMs))
    const silence = { endpoint: 3, fromMs: 1000, untilMs: 20_000 }
    expect(tallyOf(new Map(), receipts, [silence], 3)).toMatchObject({ claimed: 4, late: 1 })
    expect(tallyOf(new Map(), receipts, [silence], 2)).toMatchObject({ claimed: 4, late: 2 })
    expect(tallyOf(new Map(), receipts, [{ ...silence, endpoint: 4 }], 2)).toMatchObject({ claimed: 0, late: 0 })
  })
})

test('receipts are read as they were written, and counted by the size of the file', async () => {
  const path = `${process.env.TEST_FOLDER ?? '/tmp'}/receipts-${crypto.randomUUID()}`
  const receipts = [receipt(0, 1, 1_795_000_000_000), receipt(12345, 2, 1_795_000_000_001)]
  expect(await countReceipts(path)).toBe(0)
  await Bun.write(path, receipts.map(lineOf).join(''))
  expect([await countReceipts(path), await readReceipts(path)]).toEqual([2, receipts])
  await Bun.file(path).delete()
})
