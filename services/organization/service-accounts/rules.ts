import type { FieldError } from '../../../proto/errors.ts'
import { isNetworkWithin } from '../../kit/addresses/networks.ts'

/** The service accounts that led to an account or a key, each with the time of its last part in it. */
export type Lineage = Readonly<Record<string, string>>

/** Service accounts of a lineage, which would otherwise grow with each account that creates another. */
export const MAX_LINEAGE = 100

/** The lineages together, with the later time of an account that is in both. */
export function joined(...lineages: readonly Lineage[]): Lineage {
  const latest: Record<string, string> = {}
  for (const [userId, time] of lineages.flatMap((lineage) => Object.entries(lineage))) {
    const other = latest[userId]
    if (other === undefined || Date.parse(other) < Date.parse(time)) latest[userId] = time
  }
  return latest
}

/** Whether an account has a part in a lineage since a time. */
export function hasLedTo(lineage: Lineage, userId: string, since: string): boolean {
  const latest = lineage[userId]
  return latest !== undefined && Date.parse(latest) >= Date.parse(since)
}

/** The users who keep the secret of a new key. An account that rotates its key gains nothing by the new one. */
export const keepersOf = (
  { caller, account }: { caller: string; account: string },
  ofUsedKey: readonly string[] = [],
): string[] => [...new Set([...ofUsedKey, ...(caller === account ? [] : [caller])])]

interface KeyLimits {
  expiresAt: string | undefined
  networks: string[]
}

/** The end and the networks of a new key: those of the key with which it is created, unless it asks for narrower ones. */
export function limitsWith(
  { expiresAt, networks }: KeyLimits,
  used: { expires_at: string | null; networks: readonly string[] } | undefined,
): KeyLimits & { problems: FieldError[] } {
  const end = used?.expires_at ?? undefined
  const allowed = used?.networks ?? []
  const problems = networks.flatMap((network, index) =>
    allowed.length === 0 || isNetworkWithin(network, allowed)
      ? []
      : [{ field: `networks.${index}`, message: 'must lie in the networks of the key that you use' }],
  )
  if (end !== undefined && expiresAt !== undefined && Date.parse(expiresAt) > Date.parse(end)) {
    problems.push({ field: 'expireTime', message: 'must not be after the end of the key that you use' })
  }
  return { expiresAt: expiresAt ?? end, networks: networks.length === 0 ? [...allowed] : networks, problems }
}
