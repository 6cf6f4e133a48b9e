/** A DNS whose TXT records a test sets. */
export class TestDns {
  readonly records = new Map<string, string[][]>()
  failsWith: string | undefined

  readonly resolveTxt = async (name: string): Promise<string[][]> => {
    if (this.failsWith) throw Object.assign(new Error('query failed'), { code: this.failsWith })
    const found = this.records.get(name)
    if (!found) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    return found
  }
}

/** The DNS of marketplaces whose test brings none, so that no test asks a real one. */
export const SHARED_DNS = new TestDns()
