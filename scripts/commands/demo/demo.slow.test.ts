import { expect, test } from 'bun:test'
import { freePort } from '../../../services/testing/free-port.ts'
import { TEST_PASSWORD, testMarketplace } from '../../../services/testing/marketplace.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

const market = await testMarketplace()
const operator = (await market.operator()).administrator

const demo = (url: string, email: string, password: string) =>
  run([BUN, commandFile('demo'), '--url', url, '--operator', email], {
    env: { PATH: process.env.PATH, PASSWORD: password },
    timeoutMs: 60_000,
  })

/** Every chapter with the line that shows its result. */
const STORY = new RegExp(
  [
    // Those of the first run also qualify in the second.
    /finds factories that qualify: (3|6) factories\n/,
    /looks at the invitations: DECLINED, READ, READ\n/,
    /offer_\w{26} has no price breaks, offer_\w{26} has no price breaks\n/,
    /The first offer is replaced: offer_\w{26} is SUPERSEDED\n/,
    /landed total +5930\.00 \* +5992\.50\n/,
    /30 pieces at 112\.00, 3690\.00 EUR.*\n.*20 pieces at 118\.25, 2445\.00 EUR/,
    /IN_PRODUCTION → ON_HOLD\n/,
    /as MANUFACTURER: O-\w{8} is COMPLETED\n/,
    /\* the cheapest of each line, 4265\.00 together\n/,
    /finds its orders of the package: O-\w{8} is PLACED, O-\w{8} is PLACED\n.*: O-\w{8} is PLACED\n$/,
  ]
    .map(({ source }) => source)
    .join('[^]*'),
)

test('the demo plays the whole trade against a marketplace, and again with other organizations', async () => {
  for (let time = 0; time < 2; time++) {
    const { code, output } = await demo(market.url, operator.email, TEST_PASSWORD)
    expect([output, code]).toEqual([expect.stringMatching(STORY), 0])
  }
}, 120_000)

test('a marketplace that does not answer is one sentence', async () => {
  const url = `http://127.0.0.1:${freePort()}`
  const { code, output } = await demo(url, operator.email, TEST_PASSWORD)
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(
      `Step 1 (The operator signs in) failed. No marketplace answers at ${url}: start one with ./scripts/dev, or name another with --url.\n`,
    ),
  ])
})

test('a step that is refused is one sentence with the step, the request and its answer', async () => {
  const wrong = await demo(market.url, operator.email, 'not-the-password')
  expect([wrong.code, wrong.output]).toEqual([
    1,
    expect.stringContaining(
      '\nStep 1 (The operator signs in) failed. POST /v2.3/oauth/token answered 401: The credentials are not valid.\n',
    ),
  ])
  const stranger = (await market.organization(['CONSUMER'])).administrator
  const refused = await demo(market.url, stranger.email, TEST_PASSWORD)
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringContaining(
      'Step 2 (The operator creates Baltic Pumps) failed. POST /flows/v1/orgs answered 403: This needs the permission platform:operate.\n',
    ),
  ])
})
