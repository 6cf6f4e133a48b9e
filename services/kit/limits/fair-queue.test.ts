import { expect, test } from 'bun:test'
import { FairQueue } from './fair-queue.ts'

/** Adds items named by group, key and number, such as `xa1`. */
function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.add(placeOf(item), item)
  return queue
}

const placeOf = (item: string) => ({ group: item.charAt(0), key: item.slice(0, 2) })

function drain(queue: FairQueue<string>, isReady: (key: string) => boolean = () => true): string[] {
  const order: string[] = []
  for (let next = queue.next(isReady); next; next = queue.next(isReady)) {
    order.push(next.item)
    queue.delete(next.place, next.item)
  }
  return order
}

test('groups take turns, and keys take turns within their group', () => {
  const queue = queueOf('xa1', 'xa2', 'xa3', 'xb1', 'xb2', 'ya1', 'ya2', 'yb1')
  expect(drain(queue)).toEqual(['xa1', 'ya1', 'xb1', 'yb1', 'xa2', 'ya2', 'xb2', 'xa3'])
  expect(queue.size).toBe(0)
})

test('a key that is not ready is passed over and keeps its turn', () => {
  const queue = queueOf('xa1', 'xb1', 'xc1')
  expect(drain(queue, (key) => key !== 'xa')).toEqual(['xb1', 'xc1'])
  expect(queue.size).toBe(1)
  queue.add(placeOf('xb2'), 'xb2')
  expect(drain(queue)).toEqual(['xa1', 'xb2'])
})

test.each([
  ['of the longest queue', ['xa1', 'xa2', 'xa3', 'xb1'], 'xc1', 'xa3'],
  ['of the longest queue in the largest group', ['xa1', 'xa2', 'xb1', 'yc1', 'yc2'], 'zd1', 'xa2'],
  ['of the largest group, although its keys have one each', ['xa1', 'xb1', 'xc1', 'ya1'], 'ya2', 'xc1'],
  ['of the latest turn among equals', ['xa1', 'xa2', 'xb1', 'xb2'], 'xc1', 'xb2'],
  ['of none, if the new one would have the longest', ['xa1', 'xa2', 'xb1'], 'xa3', undefined],
  ['of none, if all would be equal', ['xa1', 'xb1'], 'xc1', undefined],
  ['of none, if the queues would only change places', ['xa1', 'xa2', 'xb1'], 'xb2', undefined],
])('the last item %s is dropped', (_, items, added, expected) => {
  expect(queueOf(...items).lastOfLongest(placeOf(added))).toBe(expected as string)
})

test('a deleted item is not returned, and deleting it again changes nothing', () => {
  const queue = queueOf('xa1', 'xa2')
  queue.delete(placeOf('xa1'), 'xa1')
  queue.delete(placeOf('xa1'), 'xa1')
  expect([queue.size, queue.sizeOf(placeOf('xa2')), drain(queue)]).toEqual([1, 1, ['xa2']])
})
