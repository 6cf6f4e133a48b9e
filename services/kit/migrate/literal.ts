/** A text as an SQL literal, for statements that take no parameters. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
