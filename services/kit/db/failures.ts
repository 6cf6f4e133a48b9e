import { type Refusal, unavailable } from '../errors/refusal.ts'

/**
 * Codes of postgres.js and of Postgres for transient failures: the database is unreachable, full, too slow or shutting
 * down or takes no writes, it aborted a transaction because of a deadlock or a serialization conflict, or the role has
 * a new password that this replica does not have yet.
 */
const TRANSIENT = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'QUERY_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  '08006',
  '25006',
  '28P01',
  '40001',
  '40P01',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
])

/** Whether an error is a transient failure of a dependency, not a bug. */
export function isDependencyFailure(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && TRANSIENT.has(code)
}

/** Codes of a statement that was too slow, as told by Postgres and by postgres.js. It may be as slow each time. */
const TOO_SLOW = new Set(['57014', 'QUERY_TIMEOUT'])

/** Whether a failure of a dependency says nothing about the work that it interrupted. */
export const isInterruption = (error: unknown): boolean =>
  isDependencyFailure(error) && !TOO_SLOW.has((error as { code: string }).code)

/** Codes of a statement that waited too long for the locks of another one, or lost against it. */
const LOCKED = new Set(['40001', '40P01', '55P03'])

const BUSY = 'Other requests are changing the same records; try again in a moment.'
const DOWN = 'A dependency is down; try again in a moment.'

/** The 503 that a failure of Postgres becomes; undefined for every other error. */
export function databaseRefusal(error: unknown): Refusal | undefined {
  if (!isDependencyFailure(error)) return undefined
  return unavailable('postgres', LOCKED.has((error as { code: string }).code) ? BUSY : DOWN, error)
}

/** Whether an error is a violation of a unique index, optionally of that name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint_name } = (error ?? {}) as { code?: unknown; constraint_name?: unknown }
  return code === '23505' && (constraint === undefined || constraint_name === constraint)
}

/** Makes a violation of a unique index a refusal: `insert(…).catch(refuseTaken(…))`. */
export const refuseTaken =
  (index: string, refusal: () => Refusal) =>
  (error: unknown): never => {
    throw isUniqueViolation(error, index) ? refusal() : error
  }
