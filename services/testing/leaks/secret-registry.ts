/** What nobody may see but whom it was meant for, each with the operations whose answers are meant to carry it. */
export class SecretRegistry {
  readonly #kept = new Map<string, { what: string; carriers: ReadonlySet<string> }>()
  #sown = 0

  get size(): number {
    return this.#kept.size
  }

  /** A new secret, unlike any other text there is. */
  sow(what: string): string {
    this.#sown++
    const secret = `sown-${crypto.randomUUID().replaceAll('-', '')}-${this.#sown}`
    this.keep(secret, what)
    return secret
  }

  keep(secret: string, what: string, carriers: readonly string[] = []): void {
    const known = this.#kept.get(secret)?.carriers ?? []
    this.#kept.set(secret, { what, carriers: new Set([...known, ...carriers]) })
  }

  /** What of the kept a text shows, however it is written; in an answer, the operation's own is allowed. */
  findIn(text: string, operation?: string): string[] {
    return [...this.#kept].flatMap(([secret, { what, carriers }]) => {
      if (operation !== undefined && carriers.has(operation)) return []
      return spellings(secret).some((spelling) => text.includes(spelling)) ? [what] : []
    })
  }
}

/** As it is, as bytea shows it, in a URL, and in JSON inside of JSON. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((shift) => innerBase64(bytes, shift))
  return [secret, bytes.toString('hex'), encodeURIComponent(secret), ...base64]
}

/** Base64 of the bytes as they stand `shift` bytes into a longer text, without what their neighbours share. */
function innerBase64(bytes: Buffer, shift: number): string {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url')
  return whole.slice(shift === 0 ? 0 : 4, Math.floor(((bytes.length + shift) * 4) / 3 / 4) * 4 - 4)
}
