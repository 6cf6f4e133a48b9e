import type { FileFailure } from '../../../proto/http/sourcing/files.ts'

/** Why a try did not make a file ready, and whether another one might. */
export class JobFailure extends Error {
  readonly reason: FileFailure
  readonly isFinal: boolean

  constructor(reason: FileFailure, { isFinal }: { isFinal: boolean }) {
    super(reason)
    this.name = 'JobFailure'
    this.reason = reason
    this.isFinal = isFinal
  }
}
