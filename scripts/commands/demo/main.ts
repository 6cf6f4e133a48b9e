import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { accountOf, localMarketplace } from '../dev/account.ts'
import { clientOf } from '../dev/client.ts'
import { signInParties } from './demo-parties.ts'
import { receiveEvents } from './events.ts'
import { Narrator } from './narrator.ts'
import { amend, award, makeOffers } from './offers.ts'
import { createParties } from './own-parties.ts'
import { tradePackage } from './package.ts'
import type { Parties } from './parties.ts'
import { produce } from './production.ts'
import { requestQuotations } from './sourcing.ts'

interface Given {
  url?: string
  operator?: string
}

/** Plays a whole trade against a running marketplace, over HTTP. */
const play = ({ operator, ...given }: Given) =>
  operator === undefined ? playWithAccounts(given) : playWithOwn({ ...given, email: operator })

/**
 * Between the accounts that `./scripts/dev` printed. The events that the buyer receives are printed between the steps.
 */
async function playWithAccounts(given: { url?: string }): Promise<void> {
  const narrator = new Narrator(console.log)
  narrator.chapter('The parties')
  const { parties, administrator } = await signInParties(narrator, given, localMarketplace)
  const { name } = parties.buyer
  const feed = await narrator.step(
    `${name} registers a webhook endpoint for cases and assignments`,
    () => receiveEvents(administrator, console.log),
    ({ endpointId }) => endpointId,
  )
  narrator.awaitEvents = feed.awaitEvents
  try {
    await trade(narrator, parties)
  } finally {
    await feed.end()
  }
  narrator.chapter(`The endpoint of ${name} is deleted. Its deliveries stay listed for 30 days.`)
}

/** Between organizations that the operator creates. */
async function playWithOwn(given: { url?: string; email: string }): Promise<void> {
  const account = await accountOf(given, process.env, localMarketplace)
  const narrator = new Narrator(console.log)
  narrator.chapter(`Organizations at ${account.url}`)
  const operator = clientOf(account)
  await narrator.step(
    'The operator signs in',
    () => operator.GET('/flows/v1/me'),
    ({ data }) => data.user.email,
  )
  await trade(narrator, await createParties(narrator, { operator, url: account.url }))
}

async function trade(narrator: Narrator, parties: Parties): Promise<void> {
  const rfqId = await requestQuotations(narrator, parties)
  await makeOffers(narrator, parties, rfqId)
  await amend(narrator, parties, rfqId)
  await produce(narrator, parties, await award(narrator, parties, rfqId))
  await tradePackage(narrator, parties)
}

await runCommandLine(
  commandLine(
    './scripts/demo',
    'Plays a trade from the part to the delivery between the demo accounts of ./scripts/dev, with the events of the buyer.',
  )
    .option('--url <address>', 'address of the marketplace; default: $BASE, or that of ./scripts/dev')
    .option(
      '--operator <address>',
      'plays it with organizations of its own, which this account of the operator creates; its password is read from $PASSWORD',
    )
    .action(play),
)
