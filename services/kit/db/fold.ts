/**
 * Letters whose lower case differs between Postgres and JavaScript. Postgres (builtin C.UTF-8) maps each code point
 * alone: a final sigma stays σ, and İ becomes i. The ranges are capitals of Unicode 17, which Postgres 18 lacks.
 */
const DIFFERENT = /[İΣ\u{a7ce}\u{a7d2}\u{a7d4}\u{16ea0}-\u{16eb8}]/u

/** Folds case as `ilike` does in Postgres, so that searches in memory and in SQL find the same. */
export const fold = (text: string): string =>
  DIFFERENT.test(text) ? Array.from(text, foldCodePoint).join('') : text.toLowerCase()

function foldCodePoint(letter: string): string {
  if (letter === 'İ') return 'i'
  if (letter === 'Σ') return 'σ'
  return DIFFERENT.test(letter) ? letter : letter.toLowerCase()
}
