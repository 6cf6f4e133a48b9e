import { asOwner } from '../../../services/testing/load/owner.ts'
import type { Context } from '../context.ts'
import { type Figure, median } from '../figures.ts'
import { signIn } from '../stage/accounts.ts'

const WANTED_MS = 10
const PAIRS = 50

/** The time of a sign-in beyond the verification of the password hash; both alternate, one at a time. */
export async function measureSignIn({ database, services, account }: Context): Promise<Figure[]> {
  const hash = await storedHash(database.ownerUrl, account.email)
  const attempt = () => signIn(services.identity.url, account)
  const verify = () => Bun.password.verify(account.password, hash)
  await Promise.all([attempt(), verify()])
  const [attempts, verifications]: [number[], number[]] = [[], []]
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) attempts.push(await msOf(attempt))
    verifications.push(await msOf(verify))
    if (pair % 2 === 1) attempts.push(await msOf(attempt))
  }
  const beyond = median(attempts.map((ms, pair) => ms - (verifications[pair] ?? Number.NaN)))
  return [
    {
      what: 'POST /v2.3/oauth/token (password) − argon2id verify',
      ours: `${median(attempts).toFixed(1)} ms`,
      reference: `${median(verifications).toFixed(1)} ms Bun.password.verify`,
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

const storedHash = (ownerUrl: string, email: string) =>
  asOwner(ownerUrl, async (owner) => {
    const [row] = await owner<{ password_hash: string }[]>`
      select c.password_hash from identity.credentials c
      join organization.users u on u.id = c.user_id
      where u.email = ${email}`
    return row?.password_hash ?? ''
  })
