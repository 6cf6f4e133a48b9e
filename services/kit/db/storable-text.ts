/** The beginning of a text as a column stores it, which takes no NUL and no half of a surrogate pair. */
export const storableText = (text: string, maxCharacters: number): string =>
  text.slice(0, maxCharacters).toWellFormed().replaceAll('\0', '')
