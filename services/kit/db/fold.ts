/**
 * Letters whose lower case Postgres and JavaScript see differently. Postgres (builtin C.UTF-8) maps each code point
 * by itself: a final sigma stays σ, and İ is a plain i. The ranges are capitals that Unicode 17 brought: JavaScript
 * knows them, Postgres 18 does not yet.
 */
const DIFFERENT = /[İΣ\u{a7ce}\u{a7d2}\u{a7d4}\u{16ea0}-\u{16eb8}]/u

/** Folds case as `ilike` does in Postgres, so that a search in memory finds what the same search in SQL would. */
export const fold = (text: string): string =>
  DIFFERENT.test(text) ? Array.from(text, foldCodePoint).join('') : text.toLowerCase()

function foldCodePoint(letter: string): string {
  if (letter === 'İ') return 'i'
  if (letter === 'Σ') return 'σ'
  return DIFFERENT.test(letter) ? letter : letter.toLowerCase()
}
