import { expect, setDefaultTimeout, test } from 'bun:test'
import { ConstantLoad } from '../testing/constant-load.ts'
import { jsonRequest, KeptAliveClient } from '../testing/kept-alive.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { type ServiceProcess, startService, stopService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'

setDefaultTimeout(120_000)
const market = await marketplaceWithWorkers(['sourcing'])
const { client } = (await market.organization(['IP_OWNER'])).administrator

const DRAIN_SECONDS = 1
const start = () =>
  startService('sourcing', market.db, undefined, {
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
  })
const portOf = (replica: ServiceProcess) => Number(new URL(replica.client.url).port)
const createPart = () => jsonRequest('POST', '/v1/parts', client.accessToken, {})

test('after SIGTERM: a write over a kept-alive connection and one over a new connection succeed, and both connections end', async () => {
  const replica = await start()
  const [kept, idle, late] = [1, 2, 3].map(() => new KeptAliveClient(() => portOf(replica))) as [
    KeptAliveClient,
    KeptAliveClient,
    KeptAliveClient,
  ]
  for (const before of [kept, idle]) {
    const answer = await before.send(createPart())
    expect([answer.status, answer.headers.connection]).toEqual([200, undefined])
  }
  const signalledMs = performance.now()
  const exit = stopService(replica, 'SIGTERM')
  const isReady = async () => (await fetch(`${replica.health}/readyz`).catch(() => undefined))?.ok
  await until(async () => !(await isReady()), { what: 'the end of readiness' })
  for (const after of [kept, late]) {
    const answer = await after.send(createPart())
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
  }
  // The service closes a connection without a request when it stops to listen.
  expect(idle.isConnected).toBe(true)
  await until(() => !idle.isConnected, { what: 'the end of the idle connection' })
  expect(performance.now() - signalledMs).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1000)
  await expect(late.send(createPart())).rejects.toThrow()
  expect(await exit).toBe(0)
})

const RESTARTS = 4
const CONNECTIONS = 8
const PER_SECOND = 80

test('replicas restart under writes over kept-alive connections: every write is answered', async () => {
  const replicas = [await start(), await start()]
  let serving = replicas
  let next = 0
  // As a proxy of connections does: a connection stays with its replica, and new ones go to the replicas in rotation.
  const portOfNext = () => portOf(serving[next++ % serving.length] as ServiceProcess)
  const load = new ConstantLoad(
    Object.fromEntries(
      Array.from({ length: CONNECTIONS }, (_, at) => {
        const connection = new KeptAliveClient(portOfNext)
        const send = async () => {
          const { status } = await connection.send(createPart())
          return status === 200 ? undefined : `status ${status}`
        }
        return [`connection ${at}`, send]
      }),
    ),
    { perSecond: PER_SECOND / CONNECTIONS },
  )
  const exitCodes: number[] = []
  for (let restart = 0; restart < RESTARTS; restart++) {
    await load.more(5)
    const [oldest, ...others] = serving as [ServiceProcess, ...ServiceProcess[]]
    serving = others
    exitCodes.push(await stopService(oldest, 'SIGTERM'))
    serving = [...others, await start()]
  }
  await load.more(5)
  await load.stop()
  expect([load.failures, exitCodes]).toEqual([[], Array(RESTARTS).fill(0)])
  for (const replica of serving) expect(await stopService(replica, 'SIGTERM')).toBe(0)
})
