/** One line of a CSV file (RFC 4180, but for the line feed alone at its end): quotes only where they are needed. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
