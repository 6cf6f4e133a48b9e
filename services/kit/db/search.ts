/** The pattern of a case-insensitive substring search: what a caller types is text, never a wildcard. */
export const contains = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
