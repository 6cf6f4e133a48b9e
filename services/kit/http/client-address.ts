import ipaddr from 'ipaddr.js'

/**
 * The client's address, in its one spelling. Each trusted proxy appends the address it was called from, so with
 * `trustedProxies` of them the client's is that many places from the right; what stands further left anybody may have
 * written. Some proxies append the port as well.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: number,
): string | undefined {
  if (trustedProxies === 0 || forwardedFor === null) return canonical(socketAddress) ?? socketAddress
  const hops = forwardedFor.split(',')
  const client = hops[Math.max(0, hops.length - trustedProxies)]
  return canonical(client?.trim()) ?? canonical(socketAddress) ?? socketAddress
}

const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Undefined for what is no address, or an ambiguous one such as 01.2.3.4. IPv4 inside IPv6 is IPv4. */
function canonical(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 64) return undefined
  // By far the most common case, and already in its one spelling.
  if (PLAIN_IPV4.test(text)) return text
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  if (PLAIN_IPV4.test(address)) return address
  // A zone (%eth0) means something on one machine alone.
  if (address.includes('%')) return undefined
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address).toString() : undefined
}

/** Whom failures and anonymous requests are counted for: an IPv4 address, or the /64 that one IPv6 client may roam in. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !address.includes(':')) return address ?? 'unknown'
  return ipaddr.IPv6.isValid(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address
}
