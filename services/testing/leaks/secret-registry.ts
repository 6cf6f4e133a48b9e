interface Secret {
  what: string
  allowedOperations: Set<string>
  forms: string[]
}

/** Forms of at least this length are found by their end. A shorter one is searched for in each text. */
const KEY_LENGTH = 12

/** Known secrets, each with the operations whose responses may contain it. */
export class SecretRegistry {
  readonly #secrets = new Map<string, Secret>()
  /** The secrets with a form that has this end, so that one pass over a text finds all of them. */
  readonly #byEnd = new Map<string, Secret[]>()
  readonly #short: Secret[] = []
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
    const known = this.#secrets.get(secret) ?? this.#add(secret, what)
    known.what = what
    for (const operation of allowedOperations) known.allowedOperations.add(operation)
  }

  #add(secret: string, what: string): Secret {
    const added = { what, allowedOperations: new Set<string>(), forms: encodings(secret) }
    this.#secrets.set(secret, added)
    if (added.forms.some((form) => form.length < KEY_LENGTH)) this.#short.push(added)
    for (const end of new Set(added.forms.map((form) => form.slice(-KEY_LENGTH)))) {
      this.#byEnd.set(end, [...(this.#byEnd.get(end) ?? []), added])
    }
    return added
  }

  /** Secrets that a text contains in any encoding. In a response of `operation`, its own secrets are allowed. */
  findIn(text: string, operation?: string): string[] {
    const candidates = new Set(this.#short)
    for (let at = 0; at + KEY_LENGTH <= text.length; at++) {
      for (const secret of this.#byEnd.get(text.slice(at, at + KEY_LENGTH)) ?? []) candidates.add(secret)
    }
    return [...candidates]
      .filter(({ allowedOperations }) => operation === undefined || !allowedOperations.has(operation))
      .filter(({ forms }) => forms.some((form) => text.includes(form)))
      .map(({ what }) => what)
  }

  /** Secrets in the strings of JSON texts, with the string. Equal strings are searched once. */
  findInStrings(texts: readonly string[]): string[] {
    const strings = [...new Set(texts.flatMap((text) => text.match(STRING) ?? []))]
    if (this.findIn(strings.join('\n')).length === 0) return []
    return strings.flatMap((text) => this.findIn(text).map((what) => `${what}: ${text}`))
  }
}

/** A string of JSON, with its quotes. */
const STRING = /"(?:[^"\\]|\\.)*"/g

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
