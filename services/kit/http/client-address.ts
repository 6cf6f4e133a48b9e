/**
 * The client's address. Each trusted proxy appends the address it was called from, so with `trustedProxies` of them
 * the client's is that many places from the right; what stands further left anybody may have written.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: number,
): string | undefined {
  if (trustedProxies === 0 || forwardedFor === null) return plain(socketAddress)
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const client = hops[Math.max(0, hops.length - trustedProxies)]
  return isAddress(client) ? plain(client) : plain(socketAddress)
}

/** IPv4 clients of a dual-stack socket show up as `::ffff:192.0.2.1`. */
const plain = (address: string | undefined) => address?.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

const isAddress = (text: string | undefined) => text !== undefined && text.length <= 45 && /^[0-9a-fA-F.:]+$/.test(text)
