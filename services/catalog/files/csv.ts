/** One line of a CSV file: RFC 4180 with a line feed, quoted only where necessary. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
