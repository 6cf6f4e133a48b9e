import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TestMailServer } from '../../../services/testing/mail/server.ts'
import { marketplaceOf } from '../../../services/testing/marketplace.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

/** Answers as an S3 store whose access key is refused or accepted. */
let isRefused = false
const store = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => {
    const code = isRefused ? 'InvalidAccessKeyId' : 'None'
    return new Response(`<Error><Code>${code}</Code></Error>`, { status: isRefused ? 403 : 200 })
  },
})
afterAll(() => store.stop(true))
const mail = await new TestMailServer().start()
const market = await marketplaceOf(['sourcing', 'catalog'], {
  S3_ENDPOINT: store.url.origin,
  S3_BUCKET: 'files',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
  SMTP_URL: mail.url,
  MAIL_FROM: 'no-reply@example.com',
  MAIL_TIMEOUT_SECONDS: '5',
})
const health = `http://127.0.0.1:${market.running.healthPort}`
const storeGauge = async () =>
  /^marketplace_storage_up\{.*\} (\d)$/m.exec(await (await fetch(`${health}/metrics`)).text())?.[1]
const checks = async () => {
  const answer = await fetch(`${health}/checks`)
  const { checks } = (await answer.json()) as {
    checks: { component: string; dependency: string; failure: string | null }[]
  }
  return [answer.status, checks.map(({ component, dependency, failure }) => [component, dependency, failure])] as const
}
const command = () => {
  const env = { PATH: process.env.PATH, IDENTITY_URL: market.url, CATALOG_URL: market.url, HEALTH_URLS: health }
  return run([BUN, commandFile('marketplace'), 'check'], { env })
}

test('every service can use what it needs: /checks is 200 and names each dependency, and the command succeeds', async () => {
  const [status, found] = await checks()
  expect([status, found.toSorted()]).toEqual([
    200,
    [
      ['catalog', 'Postgres', null],
      ['identity', 'Postgres', null],
      ['organization', 'Postgres', null],
      ['organization', 'its SMTP server', null],
      ['sourcing', 'Postgres', null],
      ['sourcing', 'its file store', null],
    ],
  ])
  const { code, output } = await command()
  expect([code, output]).toEqual([
    0,
    `Every service can use what it needs.
A wrong password is refused.
A request without a token is refused.
`,
  ])
})

describe('a file store and an SMTP server that refuse the service', () => {
  beforeAll(async () => {
    isRefused = true
    await mail.set({ refuse: 'AUTH', status: 535 })
  })

  test('/checks is 503 with both reasons immediately, although the periodic check is not due', async () => {
    expect(await storeGauge()).toBe('1')
    const [status, found] = await checks()
    expect([status, found.filter(([, , failure]) => failure !== null)]).toEqual([
      503,
      [
        ['organization', 'its SMTP server', 'the SMTP server did not accept a mail (EAUTH)'],
        ['sourcing', 'its file store', 'The file store denied access. (InvalidAccessKeyId)'],
      ],
    ])
    expect(await storeGauge()).toBe('0')
  })

  test('the command fails and names the services, what they cannot use, and why', async () => {
    const { code, output } = await command()
    expect([code, output]).toEqual([
      1,
      `organization cannot use its SMTP server: the SMTP server did not accept a mail (EAUTH)
sourcing cannot use its file store: The file store denied access. (InvalidAccessKeyId)
`,
    ])
  })
})
