import type { ScimErrorType } from '../../../proto/errors.ts'
import { MAX_SCIM_MEMBERS } from '../../../proto/http/organization/scim.ts'
import { type Refusal, refuse } from '../../kit/errors/refusal.ts'

/** 400 with a word of SCIM. */
export const wrong = (scimType: ScimErrorType, field: string, message: string): Refusal =>
  refuse('validation_error', { errors: [{ field, message }], scimType })

export const wrongValue = (field: string, message: string) => wrong('invalidValue', field, message)

/** 400 for a change of an attribute that cannot be changed, or not be removed. */
export const immutable = (attribute: string, what: 'changed' | 'removed') =>
  wrong('mutability', 'path', `names ${attribute}, which cannot be ${what}`)

export const tooManyMembers = () => wrongValue('members', `may be at most ${MAX_SCIM_MEMBERS} in a request`)
