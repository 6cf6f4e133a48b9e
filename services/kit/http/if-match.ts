import { entityTag } from '../db/json-text.ts'
import { refuse } from '../errors/refusal.ts'
import { strongTagListed } from './responder.ts'

/** 412 where the client knows another state of the record than the one that a GET would answer it now. */
export function requireMatch(ifMatch: string | undefined, current: string | object): void {
  if (ifMatch === undefined) return
  const text = typeof current === 'string' ? current : JSON.stringify(current)
  if (!strongTagListed(ifMatch, entityTag(text))) {
    throw refuse('precondition_failed', { detail: 'The record has changed since you read it. Read it again.' })
  }
}
