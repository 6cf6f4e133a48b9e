/** The `like` pattern of a substring search. Wildcards in the text are escaped. */
export const contains = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Without three letters or digits in a row the whole trigram index would be read. */
export const hasTrigram = (q: string) => /[\p{L}\p{N}]{3}/u.test(q)
