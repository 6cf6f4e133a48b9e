import { refuse } from './refusal.ts'
import { entityTag, tagListed } from './responder.ts'

/** Refuses a change of a record that is not the one which the caller has read: 412. `text` is what a GET of it answers now. */
export function requireMatch(ifMatch: string | undefined, text: string): void {
  if (ifMatch !== undefined && !tagListed(ifMatch, entityTag(text))) {
    throw refuse('precondition_failed', { detail: 'The record has changed since you read it. Read it again.' })
  }
}
