import type { FailureReason } from './rendering.ts'

/** A file that is not measured, with the reason. */
export class Refusal extends Error {
  constructor(readonly reason: FailureReason) {
    super(reason)
  }
}
