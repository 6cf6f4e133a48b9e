import { documentTagOf, entityTag } from '../db/json-text.ts'
import { refuse } from '../errors/refusal.ts'

/** Whether an `If-None-Match` lists the tag. Reads are compared weakly. */
export const isTagListed = (list: string | null, tag: string): boolean =>
  listIncludes(list, (item) => item.replace(/^W\//, '') === tag)

/** Whether an `If-Match` lists the tag. Changes are compared strongly, so a weak tag never matches. */
const isStrongTagListed = (list: string, tag: string): boolean =>
  listIncludes(list, (item) => documentTagOf(item) === tag)

function listIncludes(list: string | null, isSame: (item: string) => boolean): boolean {
  if (list === null) return false
  return list.trim() === '*' || list.split(',').some((item) => isSame(item.trim()))
}

/** Throws 412 unless `If-Match` lists the tag of `current`, the stored JSON of the record that a GET returns. */
export function requireMatch(ifMatch: string | undefined, current: string | object): void {
  if (ifMatch === undefined) return
  requireSameTag(ifMatch, entityTag(typeof current === 'string' ? current : JSON.stringify(current)))
}

/** Throws 412 unless `If-Match` lists the tag. */
export function requireSameTag(ifMatch: string | undefined, tag: string): void {
  if (ifMatch === undefined) return
  if (!isStrongTagListed(ifMatch, tag)) {
    throw refuse('precondition_failed', { detail: 'The record has changed since you read it. Read it again.' })
  }
}
