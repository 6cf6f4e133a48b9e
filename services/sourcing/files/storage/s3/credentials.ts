import { shared } from '../../../../kit/answers/shared.ts'

interface AccessKey {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** When the key ends, if the provider tells it. */
  expiration?: Date | undefined
}

/** The access key with which a request is signed now. */
export type Credentials = () => Promise<AccessKey>

type Provider = () => Promise<AccessKey>

/** Time before its expiry at which an access key is renewed, because the upload URLs that it signed expire with it. */
const RENEW_MS = 20 * 60_000
/** Pause after a failed renewal, during which the old access key is used. */
const RETRY_MS = 30_000

/** What the platform tells the pod about its identity. */
interface PlatformIdentity {
  roleArn?: string | undefined
  webIdentityTokenFile?: string | undefined
  stsEndpoint?: string | undefined
  containerCredentialsUri?: string | undefined
  containerTokenFile?: string | undefined
}

/**
 * The access key that the platform gives to the pod, through the providers of its SDK: IAM roles for service accounts,
 * or EKS Pod Identity.
 */
export function platformCredentials(
  { roleArn, webIdentityTokenFile, stsEndpoint, containerCredentialsUri, containerTokenFile }: PlatformIdentity,
  region: string,
): Credentials {
  // The SDK is loaded where it is used, because it takes some megabytes of memory.
  const fromToken = async (tokenFile: string) => {
    const { fromTokenFile } = await import('@aws-sdk/credential-provider-web-identity')
    return fromTokenFile({
      webIdentityTokenFile: tokenFile,
      ...(roleArn ? { roleArn } : {}),
      clientConfig: { region, ...(stsEndpoint ? { endpoint: stsEndpoint } : {}) },
    })()
  }
  const fromContainer = async () => {
    const { fromHttp } = await import('@aws-sdk/credential-provider-http')
    return fromHttp({
      ...(containerCredentialsUri ? { awsContainerCredentialsFullUri: containerCredentialsUri } : {}),
      ...(containerTokenFile ? { awsContainerAuthorizationTokenFile: containerTokenFile } : {}),
    })()
  }
  return renewed(webIdentityTokenFile ? () => fromToken(webIdentityTokenFile) : fromContainer, Date.now)
}

/** Keeps an access key until shortly before its end. Concurrent requests share one renewal. */
export function renewed(provider: Provider, clock: () => number): Credentials {
  let current: Awaited<ReturnType<Provider>> | undefined
  let renewAtMs = Number.NEGATIVE_INFINITY
  const renew = shared(async () => {
    try {
      current = await provider()
      const endsMs = current.expiration?.getTime() ?? Number.POSITIVE_INFINITY
      // A key whose lifetime is short is used for at least half of it.
      renewAtMs = Math.max(endsMs - RENEW_MS, (clock() + endsMs) / 2)
      return current
    } catch (error) {
      const isValid = current?.expiration !== undefined && current.expiration.getTime() > clock()
      if (!current || !isValid) throw error
      renewAtMs = clock() + RETRY_MS
      return current
    }
  })
  return async () => (current && clock() < renewAtMs ? current : renew())
}
