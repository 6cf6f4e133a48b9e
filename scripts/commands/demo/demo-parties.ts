import { CommandError } from '../../toolchain/command-error.ts'
import { type Account, accountOf, type LocalMarketplace } from '../dev/account.ts'
import { clientOf } from '../dev/client.ts'
import { emailOf, ORGANIZATIONS } from '../seed/story.ts'
import type { Narrator } from './narrator.ts'
import type { Maker, Parties, Party } from './parties.ts'

type Person = 'administrator' | 'member'

/**
 * Signs in members of the organizations of `./scripts/dev`. The administrator of the buyer may register webhook
 * endpoints.
 */
export async function signInParties(
  narrator: Narrator,
  given: { url?: string },
  local: LocalMarketplace,
): Promise<{ parties: Parties; administrator: Account }> {
  // Variables of the shell may name another account.
  const accountFor = (email: string) => accountOf({ ...given, email }, { BASE: process.env.BASE }, local)

  const signInMember = (key: string) => {
    const { name, email } = personIn(key, 'member')
    return narrator.step(
      `${name} signs in`,
      async (): Promise<Party> => {
        const client = clientOf(await accountFor(email))
        const { data } = await client.GET('/flows/v1/me')
        return { orgId: data.organization.id, name, client }
      },
      () => email,
    )
  }

  const signInMaker = async (key: string): Promise<Maker> => {
    const party = await signInMember(key)
    const { data } = await party.client.GET('/v1/factories', { params: { query: { view: 'MANUFACTURER' } } })
    const factory = data.items.find(({ active, internal }) => active && !internal)
    if (!factory) throw new CommandError(`${party.name} has no active factory: start again with ./scripts/dev --reset.`)
    return { ...party, factory }
  }

  return {
    administrator: await accountFor(personIn('nordhavn', 'administrator').email),
    parties: {
      designer: await signInMember('skagen-pumps'),
      buyer: await signInMember('nordhavn'),
      seller: await signInMember('maas-trading'),
      printer: await signInMaker('vestland-additive'),
      welder: await signInMaker('ruhr-praezision'),
      laser: await signInMaker('tanjong-castings'),
    },
  }
}

function personIn(key: string, person: Person): { name: string; email: string } {
  const organization = ORGANIZATIONS.find((one) => one.key === key)
  if (!organization) throw new Error(`The story has no organization ${key}.`)
  return { name: organization.name, email: emailOf(organization.people[person], organization) }
}
