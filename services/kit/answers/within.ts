/** The answer, or the failure if it takes longer. */
export async function within<T>(limitMs: number, answer: PromiseLike<T>, failure: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(failure()), limitMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
