/**
 * Codes of postgres.js and of Postgres for transient failures: the database is unreachable, full, too slow, read-only or
 * shutting down, it aborted a transaction because of a deadlock or a serialization conflict, or the role has a new password that this
 * replica does not have yet.
 */
const TRANSIENT = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'QUERY_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
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

/** Whether an error is a violation of a unique index, optionally of that name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint_name } = (error ?? {}) as { code?: unknown; constraint_name?: unknown }
  return code === '23505' && (constraint === undefined || constraint_name === constraint)
}
