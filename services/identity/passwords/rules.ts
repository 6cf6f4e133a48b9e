const MIN_CODE_POINTS = 12
const MAX_CODE_POINTS = 256

/** The reason why a password is not allowed; undefined for a valid one. */
export function passwordProblem(password: string): string | undefined {
  const length = Array.from(password.normalize('NFC')).length
  if (length < MIN_CODE_POINTS) return `must have at least ${MIN_CODE_POINTS} characters`
  if (length > MAX_CODE_POINTS) return `must have at most ${MAX_CODE_POINTS} characters`
  return undefined
}
