import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { announce, announcerOf } from '../db/announcements.ts'
import { connect } from '../db/client.ts'
import { Notifier } from './notifier.ts'

const { owner, urlOf, beforeDrop } = await testDatabase()
const errors: unknown[] = []
const log = { info() {}, warn() {}, error: ({ err }: { err?: unknown }) => void errors.push(err) }

/** A process of a service: a pool and the announcements that it receives. */
function member(applicationName: string) {
  const url = urlOf('webhooks')
  const pool = connect(url, { max: 1, applicationName: 'test' })
  const notifier = new Notifier({ url, announcer: announcerOf(pool), applicationName, log })
  beforeDrop(() => Promise.all([notifier.close(), pool.end({ timeout: 1 })]))
  const received: (readonly string[] | undefined)[] = []
  const commit = (...about: string[]) => pool.begin(async (tx) => announce(tx, 'due', about))
  return { pool, notifier, received, commit, start: () => notifier.onCommit(['due'], (about) => received.push(about)) }
}

const [first, second] = [member('first-notifier'), member('second-notifier')]
const end = first.start()
second.start()
await until(() => first.received.length === 1 && second.received.length === 1)

test('a commit calls the listeners of its process before the transaction resolves, and those of others later', async () => {
  await first.commit('org_1')
  expect(first.received).toEqual([undefined, ['org_1']])
  await until(() => second.received.length === 2)
  expect(second.received).toEqual([undefined, ['org_1']])
  // Its own notification has arrived as well, because notifications arrive in order.
  await second.commit('org_2')
  await until(() => first.received.length === 3)
  expect(first.received).toEqual([undefined, ['org_1'], ['org_2']])
})

test('commits in quick succession are announced to other processes together', async () => {
  const before = second.received.length
  for (let n = 0; n < 100; n++) await first.commit(`org_${n % 10}`)
  await until(() => new Set(second.received.slice(before).flat()).size === 10)
  expect(second.received.length - before).toBeLessThan(50)
})

test('an announcement too long for a notification arrives without what it concerns', async () => {
  const before = second.received.length
  await first.commit(...Array.from({ length: 500 }, (_, n) => `org_${'x'.repeat(20)}${n}`))
  await until(() => second.received.slice(before).includes(undefined))
})

test('a transaction that is rolled back announces nothing, and a savepoint announces with its transaction', async () => {
  const before = first.received.length
  const failed = first.pool.begin(async (tx) => {
    announce(tx, 'due', ['org_lost'])
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await first.pool.begin(async (tx) => {
    await tx.savepoint(async (part) => announce(part, 'due', ['org_part']))
    expect(first.received.length).toBe(before)
  })
  expect(first.received.slice(before)).toEqual([['org_part']])
})

test('a listener that throws fails neither the commit nor other listeners, and keeps the connection', async () => {
  let calls = 0
  const fail = () => {
    calls++
    throw new Error('listener')
  }
  const sessions = () => owner<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name like '%-notifier' order by 1`
  const before = await sessions()
  const received: string[] = []
  const members = [first, second]
  const ends = [
    ...members.map(({ notifier }) => notifier.onCommit(['failing'], fail)),
    ...members.map(({ notifier }, at) => notifier.onCommit(['failing'], (about) => received.push(`${at} ${about}`))),
  ]
  await until(() => calls === 2 && received.length === 2, { what: 'the first calls' })
  const answer = await first.pool.begin(async (tx) => {
    announce(tx, 'failing', ['org_9'])
    return 'committed'
  })
  expect(answer).toBe('committed')
  await until(() => calls === 4 && received.length === 4, { what: 'the notification' })
  expect(received.slice(2)).toEqual(['0 org_9', '1 org_9'])
  expect(errors.map(String)).toEqual(Array(4).fill('Error: listener'))
  expect([...(await sessions())]).toEqual([...before])
  for (const stop of ends) stop()
})

test('notifications that no process of the service sends are ignored', async () => {
  // The notifications of earlier tests have arrived.
  await second.commit('org_before')
  await until(() => first.received.at(-1)?.[0] === 'org_before')
  const before = first.received.length
  const texts = [
    '',
    'null',
    '5',
    '[]',
    '{"about":[]}',
    '{"from":5}',
    '{"from":"x","about":5}',
    '{"from":"x","about":null}',
  ]
  const lists = ['abc', [null], [['a'], ['b', 'c']], [{ length: -1 }], ['a\0b'], ['']]
  for (const text of [...texts, ...lists.map((about) => JSON.stringify({ from: 'x', about }))])
    await owner`select pg_notify('due', ${text})`
  await owner`select pg_notify('due', ${JSON.stringify({ from: 'x', about: ['org_x'] })})`
  await until(() => first.received.at(-1)?.[0] === 'org_x')
  expect(first.received.slice(before)).toEqual([['org_x']])
})

test('a connection that was lost leads to a call without what it concerns', async () => {
  const before = second.received.length
  await owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'second-notifier'`
  await until(() => second.received.slice(before).includes(undefined))
  end()
})
