import { accountOf } from './client/account.ts'
import { signIn } from './client/requests.ts'
import { localMarketplace } from './local/address.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'
import { Narrator } from './trade/narrator.ts'
import { award, makeOffers } from './trade/offers.ts'
import { createParties } from './trade/parties.ts'
import { produce } from './trade/production.ts'
import { requestQuotations } from './trade/sourcing.ts'

/** Plays a whole trade against a running marketplace, over HTTP, with organizations of its own. */
async function play(given: { url?: string; email?: string }): Promise<void> {
  const account = await accountOf(given, process.env, localMarketplace)
  const narrator = new Narrator(console.log)
  narrator.chapter(`Organizations at ${account.url}`)
  const operator = await narrator.step(
    'The operator signs in',
    () => signIn(account),
    () => account.email,
  )
  const parties = await createParties(narrator, operator)
  const rfqId = await requestQuotations(narrator, parties)
  await makeOffers(narrator, parties, rfqId)
  await produce(narrator, parties, await award(narrator, parties, rfqId))
}

await runCommandLine(
  commandLine(
    'bun run demo',
    'Plays a trade from the part to the delivery against a running marketplace, with organizations of its own.',
  )
    .option('--url <address>', 'address of the marketplace; default: $BASE, or that of ./scripts/dev')
    .option('--email <address>', 'account of the operator; default: $EMAIL, or that of ./scripts/dev')
    .addHelpText('after', '\nThe password is read from $PASSWORD, or from the demo accounts of ./scripts/dev.')
    .action(play),
)
