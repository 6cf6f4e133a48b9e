import { connect } from '../../../services/kit/db/client.ts'
import type { Bench } from '../bench.ts'
import { type Figure, median } from '../figures.ts'
import { signIn } from '../stage/people.ts'

const WANTED_MS = 10
const PAIRS_A_ROUND = 10

/** What a sign-in takes beyond the hash that it cannot do without: both in turns, one at a time. */
export async function measureSignIn({ database, services, account, pace }: Bench): Promise<Figure[]> {
  const hash = await storedHash(database.ownerUrl, account.email)
  const attempt = () => signIn(services.identity.url, account)
  const bare = () => Bun.password.verify(account.password, hash)
  await Promise.all([attempt(), bare()])
  const [attempts, bares]: [number[], number[]] = [[], []]
  for (let pair = 0; pair < pace.rounds * PAIRS_A_ROUND; pair++) {
    if (pair % 2 === 0) attempts.push(await msOf(attempt))
    bares.push(await msOf(bare))
    if (pair % 2 === 1) attempts.push(await msOf(attempt))
  }
  const beyond = median(attempts.map((ms, pair) => ms - (bares[pair] ?? Number.NaN)))
  return [
    {
      what: 'POST /v2.3/oauth/token (password) − argon2id verify',
      ours: `${median(attempts).toFixed(1)} ms`,
      reference: `${median(bares).toFixed(1)} ms Bun.password.verify`,
      result: `${beyond.toFixed(1)} ms`,
      wanted: `≤ ${WANTED_MS} ms`,
      met: beyond <= WANTED_MS,
    },
  ]
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** The account's hash, made with the parameters that the product uses. */
async function storedHash(ownerUrl: string, email: string): Promise<string> {
  const owner = connect(ownerUrl, { max: 1, applicationName: 'bench-look' })
  try {
    const [row] = await owner<{ password_hash: string }[]>`
      select c.password_hash from identity.credentials c
      join organization.users u on u.id = c.user_id
      where u.email = ${email}`
    return row?.password_hash ?? ''
  } finally {
    await owner.end({ timeout: 1 })
  }
}
