import { expect, test } from 'bun:test'
import { openRejection, piecesLeft, quantityAfter, takesEffect, totalAfter, totalOf, unreceived } from './app/pieces.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' as const })
const order = {
  quantity: 10,
  shippedQuantity: 6,
  acceptedQuantity: 3,
  rejectedQuantity: 2,
  remadeQuantity: 1,
  unitPrice: eur('95.50'),
  toolingCost: eur('1200.00'),
  shippingCost: eur('49.90'),
}
const placed = { quantity: 10, unitPrice: eur('0.0125') }

test('pieces that are left, on the way, and rejected for good', () => {
  expect([piecesLeft(order), unreceived(order), openRejection(order)]).toEqual([5, 1, 1])
  expect([piecesLeft(placed), unreceived(placed), openRejection(placed)]).toEqual([10, 0, 0])
})

test('a total is the exact sum of the pieces, tooling and shipping', () => {
  expect(totalOf(order, 3)).toEqual({ amount: '1536.4000', currency: 'EUR' })
  expect(totalOf(placed, 3)).toEqual({ amount: '0.0375', currency: 'EUR' })
})

test.each([
  ['a quantity', { quantity: 8 }, 8, '2013.9000'],
  ['a unit price', { unitPrice: eur('90.25') }, 10, '2152.4000'],
  ['both', { quantity: 8, unitPrice: eur('90.25') }, 8, '1971.9000'],
  ['a cancellation of what is not shipped', { cancel: true }, 6, '1822.9000'],
] as const)('after %s', (_, change, quantity, total) => {
  expect([quantityAfter(order, change), totalAfter(order, change).amount]).toEqual([quantity, total])
})

test('a cancellation takes pieces that are to be made again first', () => {
  const remaking = { quantity: 10, shippedQuantity: 10, rejectedQuantity: 3, remadeQuantity: 3 }
  expect(quantityAfter(remaking, { cancel: true })).toBe(10)
  expect(quantityAfter({ ...remaking, shippedQuantity: 12 }, { cancel: true })).toBe(10)
  expect(quantityAfter(placed, { cancel: true })).toBe(0)
})

test("a consumer's request to cancel an overdue order takes effect after 14 days, and 30 days after the due day", () => {
  const request = { proposedBy: 'CONSUMER', cancel: true, createdTime: '2031-06-10T08:00:00.000Z' } as const
  const now = Date.parse('2031-06-11T00:00:00.000Z')
  expect(takesEffect(request, { dueDate: '2031-05-01' }, now)).toBe('2031-06-24T08:00:00.000Z')
  expect(takesEffect(request, { dueDate: '2031-06-10' }, now)).toBe('2031-07-10T00:00:00.000Z')
  expect(takesEffect(request, { dueDate: '2031-06-11' }, now)).toBeUndefined()
  expect(takesEffect({ ...request, proposedBy: 'MANUFACTURER' }, { dueDate: '2031-05-01' }, now)).toBeUndefined()
  expect(takesEffect({ ...request, cancel: false }, { dueDate: '2031-05-01' }, now)).toBeUndefined()
})
