import { inRounds, median, msOf, rounds } from '../compare.ts'
import type { Section } from '../context.ts'
import { administratorOf, ORDINARY } from '../database.ts'
import { signIn } from '../services.ts'

/** The time of a sign-in beyond the verification of the password hash; both alternate, one at a time. */
export const measureSignIn: Section = async function* (context) {
  const client = await signIn(context, 'identity')
  // The first sign-in replaced the hash by one with the parameters of the service.
  const { email, password, hash } = await administratorOf(context.database, ORDINARY)
  const verify = () => Bun.password.verify(password, hash)
  await verify()
  const [attempts = [], verifications = []] = await inRounds(rounds(50), [
    () => msOf(() => client.signIn(email, password)),
    () => msOf(verify),
  ])
  yield {
    what: 'POST /v2.3/oauth/token (password) − argon2id verify',
    ours: `${median(attempts).toFixed(1)} ms`,
    reference: `${median(verifications).toFixed(1)} ms Bun.password.verify`,
    result: median(attempts.map((ms, round) => ms - (verifications[round] ?? Number.NaN))),
    unit: 'ms',
    wanted: { atMost: 10 },
  }
}
