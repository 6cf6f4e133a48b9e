/** The result of work that runs at the first call. A failure is not kept, so that the next call tries again. */
export function kept<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}
