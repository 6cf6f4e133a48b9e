import type { FailureReason } from './rendering.ts'

/** The file cannot be rendered, with the reason. */
export class RenderingError extends Error {
  constructor(readonly reason: FailureReason) {
    super(reason)
  }
}
