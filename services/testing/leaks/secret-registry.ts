/** Known secrets, each with the operations whose responses may contain it. */
export class SecretRegistry {
  readonly #secrets = new Map<string, { what: string; allowedOperations: ReadonlySet<string>; forms: string[] }>()
  #planted = 0

  get size(): number {
    return this.#secrets.size
  }

  /** Creates and registers a unique secret. */
  plant(what: string): string {
    this.#planted++
    const secret = `planted-${crypto.randomUUID().replaceAll('-', '')}-${this.#planted}`
    this.register(secret, what)
    return secret
  }

  register(secret: string, what: string, allowedOperations: readonly string[] = []): void {
    const known = this.#secrets.get(secret)
    this.#secrets.set(secret, {
      what,
      allowedOperations: new Set([...(known?.allowedOperations ?? []), ...allowedOperations]),
      // Every line of the log is searched for every secret, so the encodings are made once.
      forms: known?.forms ?? encodings(secret),
    })
  }

  /** Secrets that a text contains in any encoding. In a response of `operation`, its own secrets are allowed. */
  findIn(text: string, operation?: string): string[] {
    return [...this.#secrets.values()].flatMap(({ what, allowedOperations, forms }) => {
      if (operation !== undefined && allowedOperations.has(operation)) return []
      return forms.some((encoded) => text.includes(encoded)) ? [what] : []
    })
  }
}

/** The encodings in which a secret can appear: plain, hexadecimal, percent-encoded and base64. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((shift) => innerBase64(bytes, shift))
  return [secret, bytes.toString('hex'), encodeURIComponent(secret), ...base64]
}

/** Base64 of the bytes at offset `shift` of a longer text, without the characters that depend on adjacent bytes. */
function innerBase64(bytes: Buffer, shift: number): string {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url')
  return whole.slice(shift === 0 ? 0 : 4, Math.floor(((bytes.length + shift) * 4) / 3 / 4) * 4 - 4)
}
