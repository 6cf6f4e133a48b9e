export interface NatsOptions {
  /** Servers separated by commas: `nats://user:password@host:4222`, `nats://token@host`, `tls://host`. */
  url: string
  /** Credentials file of `nsc` with a user's JWT and seed. Files are read at each connect, so they can be rotated. */
  credsFile?: string
  /** File with the seed of an nkey. */
  nkeyFile?: string
  /** Certificate and key of a client, as PEM files. */
  certFile?: string
  keyFile?: string
  /** Prefix of streams and subjects. */
  prefix?: string
}

/** The variables that describe NATS; undefined without a URL. */
export function natsOptionsOf(variables: Record<string, unknown>): NatsOptions | undefined {
  const { NATS_URL: url, ...others } = variables as Record<string, string | undefined>
  if (!url) return undefined
  const named = {
    credsFile: others.NATS_CREDS_FILE,
    nkeyFile: others.NATS_NKEY_FILE,
    certFile: others.NATS_CERT_FILE,
    keyFile: others.NATS_KEY_FILE,
    prefix: others.NATS_PREFIX,
  }
  return { url, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value)) }
}
