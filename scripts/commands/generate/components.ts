export type Json = Record<string, unknown>

type Section = 'responses' | 'parameters' | 'examples' | 'headers'

const SECTIONS: readonly Section[] = ['responses', 'parameters', 'examples', 'headers']

/** The shared parts of a document. Each is stored once, under its name, and referenced. */
export class Components {
  readonly #sections = new Map<Section, Map<string, Json>>()

  /** Stores a part unless the name is taken, and returns its reference. */
  reference(section: Section, name: string, part: () => Json): Json {
    const parts = this.#sections.get(section) ?? new Map<string, Json>()
    this.#sections.set(section, parts)
    if (!parts.has(name)) parts.set(name, part())
    return { $ref: `#/components/${section}/${name}` }
  }

  /** The sections in use, each in the order of its names. */
  toJson(): Json {
    return Object.fromEntries(
      SECTIONS.flatMap((section) => {
        const parts = this.#sections.get(section)
        return parts ? [[section, Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))]] : []
      }),
    )
  }
}
