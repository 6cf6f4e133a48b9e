/** The `like` pattern of a substring search. Wildcards in the text are escaped. */
export const contains = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
