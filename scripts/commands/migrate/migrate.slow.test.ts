import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { asOwner, testDatabase } from '../../../services/testing/database.ts'
import { natsServer } from '../../../services/testing/nats-server.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

const nats = await natsServer(['--user', 'market', '--pass', 'secret'])
const natsUrl = (password: string) => nats.url.replace('//', `//market:${password}@`)
await nats.start({ url: natsUrl('secret') })
afterAll(() => nats.close())
const { ownerUrl } = await testDatabase()
const passwords = Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, name]))
const env = { PATH: process.env.PATH, DATABASE_URL: asOwner(ownerUrl), ...passwords }

/** The exit code of the command, and the last line that it prints. */
const migrate = async (variables: Record<string, string>) => {
  const { code, output } = await run([BUN, commandFile('migrate')], { env: { ...env, ...variables } })
  return [code, output.trimEnd().split('\n').at(-1)]
}

const wrongPassword = new URL(env.DATABASE_URL)
wrongPassword.password = 'wrong'

test.each([
  [
    'a wrong password of the owner',
    { DATABASE_URL: wrongPassword.href },
    `Postgres on ${wrongPassword.host} refuses the connection: password authentication failed for user "marketplace_owner".`,
  ],
  [
    'a missing password of a role',
    { CATALOG_DATABASE_PASSWORD: '' },
    'CATALOG_DATABASE_PASSWORD must be set, or DATABASE_MANAGE_ROLES=false.',
  ],
  [
    'a wrong password of NATS',
    { NATS_URL: natsUrl('wrong') },
    `NATS on ${new URL(nats.url).host} refuses the connection: 'Authorization Violation'.`,
  ],
  [
    'more copies of streams than NATS has servers',
    { NATS_URL: natsUrl('secret'), NATS_STREAM_REPLICAS: '3' },
    'NATS refuses the stream DOMAIN: replicas > 1 not supported in non-clustered mode. Set NATS_STREAM_REPLICAS (nats.streamReplicas of the chart) to 1 for a single server, or to at most the number of servers.',
  ],
  [
    'streams that an administrator has not made',
    { NATS_URL: natsUrl('secret'), NATS_PREFIX: 'none', NATS_MANAGE_STREAMS: 'false' },
    expect.stringContaining('The streams of NATS are incomplete: none_DOMAIN is missing, with subjects='),
  ],
])('%s ends the command with 2 and a sentence', async (_, variables, sentence) => {
  expect(await migrate(variables)).toEqual([2, sentence])
})

test('the reason alone is the termination message of a container', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'termination-'))
  const file = join(folder, 'log')
  const [code] = await migrate({ NATS_URL: natsUrl('wrong'), TERMINATION_LOG: file })
  const reason = await Bun.file(file).text()
  await rm(folder, { recursive: true })
  expect([code, reason]).toEqual([
    2,
    `NATS on ${new URL(nats.url).host} refuses the connection: 'Authorization Violation'.`,
  ])
})

test('a migration makes the streams, and repeats', async () => {
  const variables = { NATS_URL: natsUrl('secret') }
  expect(await migrate(variables)).toEqual([0, 'The NATS streams are up to date.'])
  expect(await migrate({ ...variables, NATS_MANAGE_STREAMS: 'false' })).toEqual([0, 'The NATS streams are up to date.'])
})
