import { expect, test } from 'bun:test'
import { createHashing } from './hashing.ts'

const { signal } = new AbortController()

/** A queue of one slot that is taken until `end`. */
function busy(maxWaiting: number) {
  const hashing = createHashing({ slots: 1, maxWaiting })
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const running = hashing.withSlot({ ipAddress: '203.0.113.1', signal }, () => promise)
  const order: string[] = []
  const enter = (ipAddress: string, client = signal) =>
    hashing
      .withSlot({ ipAddress, signal: client }, async () => {
        order.push(ipAddress)
        return 'hashed'
      })
      .catch((error) => (error.name === 'AbortError' ? 'aborted' : error.code))
  const end = () => {
    release()
    return running
  }
  return { hashing, enter, order, end }
}

test('a network that floods the queue fills a quarter of it', async () => {
  const { enter, end } = busy(8)
  const answers = [1, 2, 3, 4].map(() => enter('203.0.113.2'))
  expect(await Promise.all(answers.slice(2))).toEqual(['rate_limited', 'rate_limited'])
  await end()
  expect(await Promise.all(answers.slice(0, 2))).toEqual(['hashed', 'hashed'])
})

test('networks take turns: one that arrives after a flood waits for one hash of each', async () => {
  const { enter, order, end } = busy(20)
  const flood = ['203.0.113.2', '203.0.113.3'].flatMap((address) => [1, 2, 3, 4, 5].map(() => enter(address)))
  const late = enter('198.51.100.7')
  await end()
  await Promise.all([...flood, late])
  expect(order.indexOf('198.51.100.7')).toBe(2)
})

test('addresses of one IPv6 network share their part', async () => {
  const { enter, end } = busy(4)
  const first = enter('2001:db8:1:1::1')
  expect(await enter('2001:db8:1:1:ffff::2')).toBe('rate_limited')
  const other = enter('2001:db8:1:2::1')
  await end()
  expect(await Promise.all([first, other])).toEqual(['hashed', 'hashed'])
})

test('with a queue full of other networks, a new one takes a place of the longest', async () => {
  const { enter, order, end } = busy(8)
  const full = ['a', 'b', 'c', 'd'].flatMap((network) => [1, 2].map(() => enter(network)))
  const late = enter('198.51.100.7')
  expect(await full[7]).toBe('rate_limited')
  await end()
  await Promise.all(full)
  expect(await late).toBe('hashed')
  expect(order).toEqual(['a', 'b', 'c', 'd', '198.51.100.7', 'a', 'b', 'c'])
})

test('networks from which a user has signed in have every second turn, and places of a queue that is full of others', async () => {
  const { hashing, enter, order, end } = busy(4)
  hashing.remember('198.51.100.7', 'org_1')
  hashing.remember('198.51.100.8', 'org_2')
  const unknown = ['a', 'b', 'c', 'd'].map((network) => enter(network))
  const known = ['198.51.100.7', '198.51.100.8'].map((address) => enter(address))
  expect(await enter('198.51.100.9')).toBe('rate_limited')
  await end()
  await Promise.all([...unknown, ...known])
  expect(order).toEqual(['a', '198.51.100.7', 'b', '198.51.100.8'])
})

test('networks from which users of one organization have signed in share its turns and its part of the queue', async () => {
  const { hashing, enter, order, end } = busy(8)
  const flooding = ['203.0.113.2', '203.0.113.3', '203.0.113.4']
  for (const address of flooding) hashing.remember(address, 'org_1')
  hashing.remember('198.51.100.7', 'org_2')
  const flood = flooding.map((address) => enter(address))
  expect(await flood[2]).toBe('rate_limited')
  const late = enter('198.51.100.7')
  await end()
  await Promise.all([...flood, late])
  expect(order).toEqual(['203.0.113.2', '198.51.100.7', '203.0.113.3'])
})

test('a network is unknown again after five failures in a row', async () => {
  const { hashing, enter, order, end } = busy(8)
  const remember = (address: string) => hashing.remember(address, `org of ${address}`)
  for (const address of ['198.51.100.7', '198.51.100.8', '198.51.100.9']) remember(address)
  for (let n = 0; n < 5; n++) {
    hashing.countFailure('198.51.100.7')
    hashing.countFailure('198.51.100.8')
    if (n === 3) remember('198.51.100.8')
  }
  const all = ['203.0.113.2', '203.0.113.3', '198.51.100.7', '198.51.100.8', '198.51.100.9'].map((address) =>
    enter(address),
  )
  await end()
  await Promise.all(all)
  expect(order).toEqual(['203.0.113.2', '198.51.100.8', '203.0.113.3', '198.51.100.9', '198.51.100.7'])
})

test('a client that disconnects leaves the queue', async () => {
  const { enter, order, end } = busy(8)
  const client = new AbortController()
  const left = enter('203.0.113.2', client.signal)
  client.abort()
  expect(await left).toBe('aborted')
  await end()
  expect(order).toEqual([])
})
