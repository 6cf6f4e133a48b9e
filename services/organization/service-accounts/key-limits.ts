import type { FieldError } from '../../../proto/errors.ts'
import { isNetworkWithin } from '../../kit/addresses/networks.ts'

interface KeyLimits {
  expiresAt: string | undefined
  networks: string[]
}

/**
 * The end and the networks of a new key: those of the key with which it is created, unless it asks for narrower ones.
 */
export function limitsWith(
  { expiresAt, networks }: KeyLimits,
  used: { expires_at: string | null; networks: readonly string[] } | undefined,
): KeyLimits & { problems: FieldError[] } {
  const end = used?.expires_at ?? undefined
  const allowed = used?.networks ?? []
  const problems = networks.flatMap((network, index) =>
    allowed.length === 0 || isNetworkWithin(network, allowed)
      ? []
      : [{ field: `networks.${index}`, message: 'must lie within the networks of the key that you use' }],
  )
  if (end !== undefined && expiresAt !== undefined && Date.parse(expiresAt) > Date.parse(end)) {
    problems.push({ field: 'expireTime', message: 'must not be after the expiry of the key that you use' })
  }
  return { expiresAt: expiresAt ?? end, networks: networks.length === 0 ? [...allowed] : networks, problems }
}
