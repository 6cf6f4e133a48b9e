import { asOwner } from '../../../services/testing/load/owner.ts'
import { median, msOf } from '../compare.ts'
import type { Section } from '../context.ts'
import { administratorOf, signIn } from '../stage/accounts.ts'
import { type Database, ORDINARY } from '../stage/database.ts'

const WANTED_MS = 10
const PAIRS = 50

/** The time of a sign-in beyond the verification of the password hash; both alternate, one at a time. */
export const measureSignIn: Section = async function* (context) {
  const { email, password } = await administratorOf(context.database, ORDINARY)
  const hash = await storedHash(context.database, email)
  const client = await signIn(context, 'identity')
  const attempt = () => client.signIn(email, password)
  const verify = () => Bun.password.verify(password, hash)
  await verify()
  const [attempts, verifications]: [number[], number[]] = [[], []]
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) attempts.push(await msOf(attempt))
    verifications.push(await msOf(verify))
    if (pair % 2 === 1) attempts.push(await msOf(attempt))
  }
  const beyond = median(attempts.map((ms, pair) => ms - (verifications[pair] ?? Number.NaN)))
  yield {
    what: 'POST /v2.3/oauth/token (password) − argon2id verify',
    ours: `${median(attempts).toFixed(1)} ms`,
    reference: `${median(verifications).toFixed(1)} ms Bun.password.verify`,
    result: `${beyond.toFixed(1)} ms`,
    wanted: `≤ ${WANTED_MS} ms`,
    met: beyond <= WANTED_MS,
  }
}

const storedHash = ({ ownerUrl }: Database, email: string) =>
  asOwner(ownerUrl, async (owner) => {
    const [row] = await owner<{ password_hash: string }[]>`
      select c.password_hash from identity.credentials c
      join organization.users u on u.id = c.user_id
      where u.email = ${email}`
    return row?.password_hash ?? ''
  })
