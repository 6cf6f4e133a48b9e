/**
 * Codes of postgres.js and of Postgres that mean "not now": the database is away, full, too slow or shutting down, or it
 * gave up one of two transactions that could not both go on.
 */
const PASSING = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  '08006',
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

/** Whether an error says that a dependency is down rather than that we made a mistake. */
export function isDependencyFailure(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && PASSING.has(code)
}

/** Whether an insert or update met a unique index, of that name if one is given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint_name } = (error ?? {}) as { code?: unknown; constraint_name?: unknown }
  return code === '23505' && (constraint === undefined || constraint_name === constraint)
}
