/** Throws for a number of a limit that is not whole or too low. A comparison with NaN is false, so that NaN would lift the limit. */
export function requireWhole(numbers: Readonly<Record<string, number>>, minimum: number): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < minimum) {
      throw new RangeError(`${name} must be a whole number of at least ${minimum}, not ${value}`)
    }
  }
}
