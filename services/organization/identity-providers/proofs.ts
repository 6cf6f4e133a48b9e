import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import { within } from '../../kit/answers/within.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log, MessageLog } from '../../kit/log/log.ts'
import { drain } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { recordNameOf, recordValueOf } from './domains.ts'
import { recordCheck, takeDueDomains } from './queries.ts'
import { isProofLost, type ProofAnswer } from './rules.ts'

/** The TXT records of a name, each in its chunks. Rejects with the code of the DNS. */
export type ResolveTxt = (name: string) => Promise<readonly (readonly string[])[]>

const TIMEOUT_MS = 5_000
const SWEEP_MS = 60_000
const CHECK_INTERVAL_MS = DAY_MS
const BATCH = 10
/** Codes with which the DNS says that there is no record. Every other failure says nothing. */
const ABSENT = /NOTFOUND|NODATA|NONAME/

const notAnswered = () => new Error('the DNS did not answer in time')

/** Asks the DNS for the record of a domain. */
export async function askForProof(
  resolveTxt: ResolveTxt,
  { domain, proof }: { domain: string; proof: string },
): Promise<ProofAnswer> {
  const value = recordValueOf(proof)
  try {
    const records = await within(TIMEOUT_MS, resolveTxt(recordNameOf(domain)), notAnswered)
    return records.some((chunks) => chunks.join('') === value) ? 'PRESENT' : 'ABSENT'
  } catch (error) {
    return ABSENT.test(String((error as { code?: unknown } | null)?.code ?? '')) ? 'ABSENT' : 'UNANSWERED'
  }
}

interface CheckDeps {
  sql: Pool
  resolveTxt: ResolveTxt
  now: () => string
  log: MessageLog
}

/** Checks the proofs that are due. Each is taken by one replica. */
export async function checkProofs({ sql, resolveTxt, now, log }: CheckDeps, signal: AbortSignal): Promise<void> {
  await drain(signal, async () => {
    const at = now()
    const before = timeAfter(at, -CHECK_INTERVAL_MS)
    const due = await takeDueDomains(sql, before, at, BATCH)
    await Promise.all(
      due.map(async ({ org_id: orgId, domain, proof, answered_at: answeredAt }) => {
        const answer = await askForProof(resolveTxt, { domain, proof })
        const result = { isLost: isProofLost(answer, answeredAt, at), isAnswered: answer !== 'UNANSWERED' }
        const [checked] = await recordCheck(sql, { orgId, domain, proof }, result, at)
        if (checked?.lost) log.warn({ orgId, domain }, 'the proof of a domain was lost')
      }),
    )
    return due.length === BATCH
  })
}

export const proofWorker = (deps: CheckDeps & { log: Log }): Worker =>
  every('domain-proofs', SWEEP_MS, deps.log, (signal) => checkProofs(deps, signal))
