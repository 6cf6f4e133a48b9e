import ipaddr from 'ipaddr.js'
import { isPlainIpv4 } from '../addresses/networks.ts'

/**
 * The client's address in canonical form. Each trusted proxy appends the address that called it, so the client's
 * address is `trustedProxies` entries from the right of `X-Forwarded-For`. Entries further left are unverified. Some
 * proxies append a port, too.
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

/** Undefined for text that is not an address, or an ambiguous one such as 01.2.3.4. IPv4-mapped IPv6 becomes IPv4. */
function canonical(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 64) return undefined
  // The most common case is already canonical.
  if (isPlainIpv4(text)) return text
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  if (isPlainIpv4(address)) return address
  // A zone (%eth0) has a meaning on one machine only.
  if (address.includes('%')) return undefined
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address).toString() : undefined
}

/** The network that failures and anonymous requests are counted for: an IPv4 address or an IPv6 /64. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !address.includes(':')) return address ?? 'unknown'
  return ipaddr.IPv6.isValid(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address
}

/** A pattern of the networks of one client, which can have every /64 of a /48 of IPv6. */
export function siteOf(network: string): string {
  if (!network.endsWith('/64')) return network
  const { parts } = ipaddr.IPv6.parse(network.slice(0, -3))
  return `${parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}:%`
}
