import { expect, test } from 'bun:test'
import { KeyedSemaphore } from './keyed-semaphore.ts'

const { signal } = new AbortController()

/** Work that records its start in `order` and runs until `end` is called. */
function controlledWork(order: string[], name: string) {
  const ended = Promise.withResolvers<void>()
  const work = () => {
    order.push(name)
    return ended.promise
  }
  return { work, end: () => ended.resolve() }
}

test('a tenant holds at most its share of the permits; other tenants get the rest', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 3, permitsPerKey: 2 })
  const order: string[] = []
  const tasks = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => ({ name, ...controlledWork(order, name) }))
  const all = tasks.map(({ name, work }) => semaphore.run(name.charAt(0), signal, work))
  expect(order).toEqual(['a1', 'a2', 'b1'])
  for (const { end } of tasks) end()
  await Promise.all(all)
  expect(order.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2'])
  await semaphore.run('c', signal, async () => order.push('c'))
})

test('waiting tenants are served round-robin, FIFO within a tenant', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 1, permitsPerKey: 1 })
  const order: string[] = []
  const first = controlledWork(order, 'first')
  const running = semaphore.run('a', signal, first.work)
  const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']
  const others = names.map((name) => semaphore.run(name.charAt(0), signal, async () => order.push(name)))
  first.end()
  await Promise.all([running, ...others])
  expect(order).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a wait longer than maxWaitMs and a queue longer than maxWaitingPerKey are 429', async () => {
  const options = { what: 'tasks', permits: 1, permitsPerKey: 1, maxWaitMs: 20, maxWaitingPerKey: 2 }
  const semaphore = new KeyedSemaphore(options)
  const order: string[] = []
  const first = controlledWork(order, 'first')
  const running = semaphore.run('a', signal, first.work)
  const queued = [1, 2].map(() => semaphore.run('a', signal, async () => order.push('never')).catch(({ code }) => code))
  await expect(semaphore.run('a', signal, async () => order.push('never'))).rejects.toThrow('rate_limited')
  expect(await Promise.all(queued)).toEqual(['rate_limited', 'rate_limited'])
  first.end()
  await running
  await semaphore.run('a', signal, async () => order.push('last'))
  expect(order).toEqual(['first', 'last'])
})

test('a full queue refuses the last caller of its longest part for a tenant with fewer, and otherwise the new caller', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 1, permitsPerKey: 1, maxWaiting: 4 })
  const order: string[] = []
  const first = controlledWork(order, 'first')
  const running = semaphore.run('a', signal, first.work)
  const enter = (name: string) =>
    semaphore.run(name.charAt(0), signal, async () => order.push(name)).catch(({ code }) => code)
  const entered = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'd1', 'e1', 'a6'].map(enter)
  expect(semaphore.concurrency.waiting).toBe(4)
  first.end()
  await running
  const refused = 'rate_limited'
  // `a` loses a4, a3 and a2 to others; then all have one.
  expect(await Promise.all(entered)).toEqual([2, refused, refused, refused, refused, 3, 4, 5, refused, refused])
  expect(order).toEqual(['first', 'a1', 'b1', 'c1', 'd1'])
  expect(semaphore.concurrency).toEqual({ work: 'tasks', permits: 1, held: 0, waiting: 0 })
})

test('an aborted signal ends the wait and takes no permit', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 1, permitsPerKey: 1 })
  const order: string[] = []
  const first = controlledWork(order, 'first')
  const running = semaphore.run('a', signal, first.work)
  const client = new AbortController()
  const aborted = semaphore.run('b', client.signal, async () => order.push('never'))
  const next = semaphore.run('c', signal, async () => order.push('next'))
  client.abort()
  await expect(aborted).rejects.toThrow('aborted')
  await expect(semaphore.run('b', client.signal, async () => order.push('never'))).rejects.toThrow('aborted')
  first.end()
  await Promise.all([running, next])
  expect(order).toEqual(['first', 'next'])
})

test.each(['permits', 'permitsPerKey', 'maxWaitMs', 'maxWaitingPerKey', 'maxWaiting'])(
  '%s that is no number is refused',
  (name) => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 0.5]) {
      const options = { what: 'tasks', permits: 1, permitsPerKey: 1, [name]: value }
      expect(() => new KeyedSemaphore(options)).toThrow(`${name} must be a whole number of at least 1`)
    }
  },
)

test('work that throws releases its permit', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 1, permitsPerKey: 1 })
  await expect(semaphore.run('a', signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await semaphore.run('b', signal, async () => 'done')).toBe('done')
})

test('acquire throws 429 without a free permit, and its release is idempotent', () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 3, permitsPerKey: 2 })
  const [release] = [semaphore.acquire('a'), semaphore.acquire('a')]
  expect([semaphore.canAcquire('a'), semaphore.canAcquire('b')]).toEqual([false, true])
  expect(() => semaphore.acquire('a')).toThrow('rate_limited')
  semaphore.acquire('b')
  release()
  release()
  semaphore.acquire('a')
  expect(() => semaphore.acquire('a')).toThrow('rate_limited')
  expect(() => semaphore.acquire('c')).toThrow('rate_limited')
})

test('the release of an acquired permit wakes a waiting tenant', async () => {
  const semaphore = new KeyedSemaphore({ what: 'tasks', permits: 1, permitsPerKey: 1 })
  const release = semaphore.acquire('a')
  const waiting = semaphore.run('b', signal, async () => 'done')
  release()
  expect(await waiting).toBe('done')
})
