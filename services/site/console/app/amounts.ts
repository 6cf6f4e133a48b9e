/**
 * A number as people write it with a decimal sign, as the API wants it. `1.234` is a thousand and more where the comma
 * is the decimal sign, and `98.5` is not, because no thousands are grouped like that. Other text stays, so that the API
 * names the mistake.
 */
export function decimalText(text: string, decimal: string): string {
  const group = decimal === ',' ? '.' : ','
  const plain = text.replace(/[\s'’]/g, '')
  const isGrouped = new RegExp(`^\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d+)?$`).test(plain)
  return (isGrouped ? plain.replaceAll(group, '') : plain.replace(group, decimal)).replace(decimal, '.')
}

/**
 * Whole numbers in one text, separated by semicolons, spaces, or commas. What is no number stays for the API to name.
 */
export const numbersIn = (text: string): number[] =>
  text
    .split(/[;,\s]+/)
    .filter(Boolean)
    .map((word) => (/^\d+$/.test(word) ? Number(word) : (word as unknown as number)))

/** Amounts of the API in ten-thousandths. */
const unitsOf = (amount: string): bigint => {
  const [whole = '', decimals = ''] = amount.split('.')
  return BigInt(whole + decimals.padEnd(4, '0'))
}

/** The exact sum of amounts, each taken a number of times. */
export function sumOf(...lines: readonly (readonly [amount: string, times: number])[]): string {
  const sum = lines.reduce((total, [amount, times]) => total + unitsOf(amount) * BigInt(times), 0n)
  return String(sum)
    .padStart(5, '0')
    .replace(/(?=\d{4}$)/, '.')
}
