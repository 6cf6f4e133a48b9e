/** The pause after so many attempts. The last pause repeats. */
export const pauseOf = (pausesMs: readonly number[], attempts: number): number =>
  pausesMs[attempts - 1] ?? pausesMs.at(-1) ?? 0
