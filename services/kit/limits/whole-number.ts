/** Throws for a limit that is not whole or is too low. NaN would lift it, because comparisons with NaN are false. */
export function requireWhole(numbers: Readonly<Record<string, number>>, minimum: number): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < minimum) {
      throw new RangeError(`${name} must be a whole number of at least ${minimum}, not ${value}`)
    }
  }
}
