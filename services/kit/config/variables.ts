import { FormatRegistry, Type } from '@sinclair/typebox'
import { OneOf } from '../../../proto/http/shapes.ts'

/** Longest lifetime of an access token that can be configured, for which every revocation is remembered. */
export const MAX_ACCESS_TOKEN_SECONDS = 3600

/** The samplers of the OpenTelemetry specification that need no server. */
const TRACES_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The URL of a Postgres. */
export const postgresUrl = (description: string) => Type.String({ pattern: '^postgres(ql)?://', description })

/** How the services and the migrator reach NATS. */
export const natsVariables = {
  NATS_URL: Type.Optional(
    Type.String({
      secret: true,
      pattern: '^(nats|tls)://',
      description: 'Servers of NATS JetStream, separated by commas. Unset: the event bus runs on Postgres.',
    }),
  ),
  NATS_CREDS_FILE: Type.Optional(
    Type.String({ description: 'File with the credentials for NATS, if the URL does not contain them.' }),
  ),
  NATS_NKEY_FILE: Type.Optional(
    Type.String({ description: 'File with the seed of an nkey for NATS, instead of NATS_CREDS_FILE.' }),
  ),
  NATS_CERT_FILE: Type.Optional(
    Type.String({ description: 'File with a client certificate for NATS, in PEM; needs NATS_KEY_FILE.' }),
  ),
  NATS_KEY_FILE: Type.Optional(Type.String({ description: 'Private key of NATS_CERT_FILE, in PEM.' })),
  NATS_PREFIX: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      description: 'Prefix of streams and subjects, for several installations in one account of NATS. Unset: none.',
    }),
  ),
}

/** The environment variables of every service. */
export const commonVariables = {
  NODE_ENV: OneOf(['development', 'test', 'production'], {
    default: 'development',
    description: '`production` refuses demo data.',
  }),
  HOST: Type.String({
    pattern: '^[A-Za-z0-9.:-]+$',
    default: '0.0.0.0',
    description: 'Address on which PORT and HEALTH_PORT listen; `::` includes IPv6.',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 8080, description: 'Port of the API.' }),
  HEALTH_PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'Port of /livez, /readyz, /checks and /metrics, which no ingress should expose.',
  }),
  PUBLIC_URL: Type.String({
    pattern: '^https?://[^/?#]+$',
    default: 'http://localhost:8080',
    description: 'URL at which clients reach the API, without a path; the issuer of the tokens.',
  }),
  ...natsVariables,
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 8,
    description:
      'Maximum connections to Postgres for each service and replica. From four on, one is reserved for pipelined short reads.',
  }),
  ENCRYPTION_KEYS: Type.String({
    secret: true,
    pattern: '^[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=)*$',
    description: '`name:key` pairs separated by commas, each key 32 bytes in base64. The first encrypts, all decrypt.',
  }),
  LOG_LEVEL: OneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
    default: 'info',
    description: 'Lowest severity that is logged.',
  }),
  TRUSTED_PROXIES: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 0,
    description: 'Number of proxies in front of the service that append to X-Forwarded-For.',
  }),
  CORS_ORIGINS: Type.Optional(
    Type.String({
      format: 'origins',
      description:
        'Origins whose web pages may call the API, separated by commas, such as `https://app.example.com`. Unset: none.',
    }),
  ),
  RATE_LIMIT_PER_SECOND: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 100,
    description: 'Requests per second for each organization and replica.',
  }),
  RATE_LIMIT_BURST: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 200,
    description: 'Burst of requests that an organization may send to one replica.',
  }),
  ACCESS_TOKEN_SECONDS: Type.Integer({
    minimum: 60,
    maximum: MAX_ACCESS_TOKEN_SECONDS,
    default: 900,
    description: 'Lifetime of an access token, in seconds.',
  }),
  SHUTDOWN_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 300,
    default: 20,
    description:
      'Time to stop after SIGTERM, in seconds: requests and background work in flight have half of it, connections the rest.',
  }),
  DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 60,
    default: 5,
    description:
      'Part of SHUTDOWN_SECONDS, at most a quarter, during which new requests are served with `Connection: close`.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Endpoint that receives traces, over OTLP and HTTP. Unset: no traces.',
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({
      format: 'resource attributes',
      description:
        'Attributes of the resource of all spans, as `name=value` separated by commas, percent-encoded. `service.name` and `service.version` are those of the service. Default: `service.namespace=marketplace` and a random `service.instance.id` for each process.',
    }),
  ),
  OTEL_TRACES_SAMPLER: OneOf(TRACES_SAMPLERS, {
    default: 'parentbased_always_on',
    description: 'Which requests are traced. `parentbased_…`: as the caller has decided.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    Type.String({
      pattern: '^(0(\\.\\d+)?|1(\\.0+)?)$',
      description: 'Share of the requests for `…traceidratio`, from 0 to 1. Default: 1.',
    }),
  ),
}

/** The database of one service. `services/all` has one pair for each service, prefixed with its name. */
export const databaseVariables = {
  DATABASE_URL: postgresUrl("URL of Postgres for the service's own role. It may point to a transaction pooler."),
  DATABASE_DIRECT_URL: Type.Optional(
    postgresUrl('URL of the same database without a pooler, for LISTEN and locks. Default: DATABASE_URL.'),
  ),
  DATABASE_READ_URL: Type.Optional(
    postgresUrl('URL of streaming standbys of the same database that serve reads. Unset: the primary serves them.'),
  ),
  DATABASE_PASSWORD_FILE: Type.Optional(
    Type.String({
      description:
        'File with the password for these URLs, read on each connect. During a rotation it has one line for each password.',
    }),
  ),
}

/** For a service that may have a Postgres of its own. */
export const sharedDatabaseVariables = {
  SHARED_DATABASE_URL: Type.Optional(
    postgresUrl(
      "URL of the Postgres of the other services for the service's own role, if DATABASE_URL is a Postgres of its own. Tokens are checked and audit entries written there. Needs NATS_URL. It may point to a transaction pooler. Unset: DATABASE_URL is shared.",
    ),
  ),
}

/** The origins of a list that is separated by commas. */
export const originsIn = (list = ''): string[] => list.split(',').flatMap((part) => part.trim() || [])

/** Whether a text is an origin as a browser sends it: scheme, host and port, without a default port or a path. */
function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  return new URL(text).origin === text
}

FormatRegistry.Set('origins', (list) => originsIn(list).every(isOrigin))

/** The attributes of OTEL_RESOURCE_ATTRIBUTES. Throws for a text that is not percent-encoded. */
export const resourceAttributesIn = (list = ''): Record<string, string> =>
  Object.fromEntries(
    list.split(',').flatMap((pair) => {
      const [name = '', ...value] = pair.split('=')
      return name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]]
    }),
  )

FormatRegistry.Set('resource attributes', (list) => {
  try {
    resourceAttributesIn(list)
    return list.split(',').every((pair) => /^[^=]+=/.test(pair))
  } catch {
    return false
  }
})

/** For the service that serves the console, and for that whose mails refer to it. */
export const consoleVariables = {
  CONSOLE: Type.Boolean({
    default: true,
    description: 'Whether the console is served at /console and linked from mails.',
  }),
  REGISTRATION: OneOf(['closed', 'approval', 'open'], {
    default: 'closed',
    description:
      'Whether companies can register themselves, which requires SMTP_URL. `approval`: the operator decides. `open`: companies that only buy or only make parts are admitted once they confirm their address; the operator decides the others.',
  }),
}
