import { ERRORS, type ErrorCode, type FieldError, type ScimErrorType } from '../../../proto/errors.ts'

interface RefusalDetails {
  /** One sentence for the caller, without secrets, stack or SQL. */
  detail?: string
  errors?: FieldError[]
  headers?: Record<string, string>
  /** The word of SCIM, where the code and the fields do not imply it. */
  scimType?: ScimErrorType
  /** The error behind the refusal, which is never sent to the caller. */
  cause?: unknown
  /** The dependency that failed or the resource that is full, named in the log and in a metric. Only for a 503. */
  dependency?: string
}

/** An expected error with a stable code. `http/responder.ts` makes it the body of a response. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string> | undefined
  readonly dependency: string | undefined
  readonly scimType: ScimErrorType | undefined

  constructor(code: ErrorCode, { detail, errors, headers, cause, dependency, scimType }: RefusalDetails = {}) {
    super(code, cause === undefined ? {} : { cause })
    this.name = 'Refusal'
    this.code = code
    this.detail = detail ?? summaryOf(errors) ?? ERRORS[code].title
    this.errors = errors
    this.headers = headers
    this.dependency = dependency
    this.scimType = scimType
  }
}

/** The first problem of a field, and the number of the others. */
function summaryOf([first, ...others]: readonly FieldError[] = []): string | undefined {
  if (!first) return undefined
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `${first.field}: ${first.message}${more}`
}

export const refuse = (code: ErrorCode, details?: RefusalDetails) => new Refusal(code, details)

/** 404 for an unknown record and, with the same response, for one outside the caller's scope. */
export const notFound = () =>
  new Refusal('not_found', { detail: 'There is no such record, or it is outside your scope.' })

/** The row of a look-up, or 404. */
export function found<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw notFound()
  return row
}

/** Throws 409 where an organization has as many records of a kind as it may have. */
export function requireRoomFor(kind: string, most: number, [{ count }]: readonly [{ count: number }]): void {
  if (count >= most) throw new Refusal('limit_reached', { detail: `An organization has at most ${most} ${kind}.` })
}

/** Problems of one request that are reported at most. */
export const MAX_FIELD_ERRORS = 50

export const invalid = (errors: readonly FieldError[]) =>
  new Refusal('validation_error', { errors: errors.slice(0, MAX_FIELD_ERRORS) })

/** Throws 400 if the request has problems. */
export function requireValid(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw invalid(problems)
}

export const invalidField = (field: string, message: string) => invalid([{ field, message }])

/** 503 because a dependency failed or a resource is full. */
export const unavailable = (dependency: string, detail: string, cause?: unknown) =>
  new Refusal('unavailable', { dependency, detail, headers: { 'retry-after': '1' }, cause })

/** Does work that names its fields differently, and names those of a refusal as the request does. */
export async function renameFields<Result>(
  rename: (error: FieldError) => FieldError,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !error.errors) throw error
    const { code, detail, errors, headers } = error
    throw refuse(code, {
      // The sentence of a validation error names its first field.
      ...(code !== 'validation_error' && { detail }),
      errors: errors.map(rename),
      ...(headers && { headers }),
      cause: error,
    })
  }
}

export const isRefusalOf = (error: unknown, code: ErrorCode) => error instanceof Refusal && error.code === code
