/** What the load has sent and received so far. */
export interface Counts {
  sent: number
  /** Answers with the expected status. */
  succeeded: number
  /** Answers 503 as the API documents them. */
  unavailable: number
  /** Writes whose success was answered. */
  acknowledged: number
  /** Every other end of a request. */
  failed: number
}

export const NOTHING: Counts = { sent: 0, succeeded: 0, unavailable: 0, acknowledged: 0, failed: 0 }

export const since = (now: Counts, before: Counts): Counts => ({
  sent: now.sent - before.sent,
  succeeded: now.succeeded - before.succeeded,
  unavailable: now.unavailable - before.unavailable,
  acknowledged: now.acknowledged - before.acknowledged,
  failed: now.failed - before.failed,
})

/** Whether an answer is the 503 that the API documents: with its code, and the time to wait. */
export const isUnavailable = (answer: { status: number; headers: Record<string, string>; body: string }) =>
  answer.status === 503 &&
  answer.headers['retry-after'] !== undefined &&
  /"(unavailable|temporarily_unavailable)"/.test(answer.body)
