import type { TestMarketplace } from '../marketplace.ts'

/** The network of the challenges of samples. */
export const SAMPLE = 'sample'

/** Binds the challenge of a sample to the session that sends it, which is the first one that follows. */
export const followSession = ({ db }: TestMarketplace, { userId }: { userId: string }, sessionId: string) =>
  db.owner`
    update identity.passkey_challenges set session_id = ${sessionId}, network = 'followed'
    where user_id = ${userId} and network = ${SAMPLE} and session_id is not null`
