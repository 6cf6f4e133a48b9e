import { expect, test } from 'bun:test'
import { compareRates, median } from './compare.ts'
import { cellsOf } from './table.ts'

test('compareRates: the fastest variant of each side, and the median ratio with its range', async () => {
  const rates = [80, 100, 120]
  const ours = { slow: async () => 1, fast: async () => rates.shift() ?? 100 }
  const references = [{ name: 'pgbench', side: { '8 clients': async () => 200 }, atLeast: 0.6 }]
  const rows = await Array.fromAsync(compareRates({ what: 'GET /', ours, references, pace: { rounds: 3, seconds: 0 } }))
  expect(rows.map(cellsOf)).toEqual([
    {
      what: 'GET / ÷ pgbench',
      ours: '100/s, fast',
      reference: '200/s, 8 clients',
      result: '0.50 (0.50–0.60)',
      wanted: '≥ 0.6',
      '': 'short',
    },
  ])
})

test('the median of an even number of values: the mean of the middle two', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5])
})
