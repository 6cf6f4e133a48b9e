/** The texts of generated files by their paths in the checkout. */
export type GeneratedFiles = ReadonlyMap<string, string>
