import { expect, test } from 'bun:test'
import { Turns } from './turns.ts'

const { signal } = new AbortController()

/** Work that goes on until it is told to end, and notes that it began. */
function someWork(order: string[], name: string) {
  const end = Promise.withResolvers<void>()
  const work = () => {
    order.push(name)
    return end.promise
  }
  return { work, end: () => end.resolve() }
}

test('an organization has its share of the places, and the others have the rest', async () => {
  const turns = new Turns({ what: 'works', places: 3, placesOfOne: 2 })
  const order: string[] = []
  const works = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => ({ name, ...someWork(order, name) }))
  const all = works.map(({ name, work }) => turns.during(name.charAt(0), signal, work))
  expect(order).toEqual(['a1', 'a2', 'b1'])
  for (const { end } of works) end()
  await Promise.all(all)
  expect(order.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2'])
  await turns.during('c', signal, async () => order.push('c'))
})

test('organizations take turns, however often one of them asks', async () => {
  const turns = new Turns({ what: 'works', places: 1, placesOfOne: 1 })
  const order: string[] = []
  const first = someWork(order, 'first')
  const working = turns.during('a', signal, first.work)
  const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']
  const others = names.map((name) => turns.during(name.charAt(0), signal, async () => order.push(name)))
  first.end()
  await Promise.all([working, ...others])
  expect(order).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('nobody waits for ever, nor do more than some of one organization', async () => {
  const turns = new Turns({ what: 'works', places: 1, placesOfOne: 1, waitMs: 20, maxWaitingOfOne: 2 })
  const order: string[] = []
  const first = someWork(order, 'first')
  const working = turns.during('a', signal, first.work)
  const waiting = [1, 2].map(() => turns.during('a', signal, async () => order.push('never')).catch(({ code }) => code))
  await expect(turns.during('a', signal, async () => order.push('never'))).rejects.toThrow('rate_limited')
  expect(await Promise.all(waiting)).toEqual(['rate_limited', 'rate_limited'])
  first.end()
  await working
  await turns.during('a', signal, async () => order.push('last'))
  expect(order).toEqual(['first', 'last'])
})

test('a client that leaves waits no longer, and takes no place', async () => {
  const turns = new Turns({ what: 'works', places: 1, placesOfOne: 1 })
  const order: string[] = []
  const first = someWork(order, 'first')
  const working = turns.during('a', signal, first.work)
  const client = new AbortController()
  const left = turns.during('b', client.signal, async () => order.push('never'))
  const next = turns.during('c', signal, async () => order.push('next'))
  client.abort()
  await expect(left).rejects.toThrow('aborted')
  await expect(turns.during('b', client.signal, async () => order.push('never'))).rejects.toThrow('aborted')
  first.end()
  await Promise.all([working, next])
  expect(order).toEqual(['first', 'next'])
})

test('work that fails gives its place back', async () => {
  const turns = new Turns({ what: 'works', places: 1, placesOfOne: 1 })
  await expect(turns.during('a', signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await turns.during('b', signal, async () => 'done')).toBe('done')
})

test('a place that is taken at once is given back once, however often it is said', () => {
  const turns = new Turns({ what: 'works', places: 3, placesOfOne: 2 })
  const [first] = [turns.take('a'), turns.take('a')]
  expect(() => turns.take('a')).toThrow('rate_limited')
  turns.take('b')
  first()
  first()
  turns.take('a')
  expect(() => turns.take('a')).toThrow('rate_limited')
  expect(() => turns.take('c')).toThrow('rate_limited')
})

test('a place that was taken at once is the next one of whoever waits', async () => {
  const turns = new Turns({ what: 'works', places: 1, placesOfOne: 1 })
  const leave = turns.take('a')
  const waiting = turns.during('b', signal, async () => 'done')
  leave()
  expect(await waiting).toBe('done')
})
