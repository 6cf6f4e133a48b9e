import ipaddr from 'ipaddr.js'

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const PREFIX = /^(?:0|[1-9]\d{0,2})$/

/** Whether a text is an IPv4 address in its one usual spelling: four decimal numbers without leading zeros. */
export const isPlainIpv4 = (text: string): boolean => IPV4.test(text)

/**
 * The canonical form of an address or a network in CIDR notation. Undefined for any other text, for a network with bits
 * after its prefix, and for an IPv4 address in IPv6, because clients are known by the plain IPv4 address.
 */
export function canonicalNetwork(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const parsed = rest.length === 0 ? parse(address) : undefined
  if (!parsed || (prefix !== undefined && !PREFIX.test(prefix))) return undefined
  const bits = parsed.kind() === 'ipv4' ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  if (length > bits) return undefined
  const canonical = `${parsed.toString()}/${length}`
  const kind = bits === 32 ? ipaddr.IPv4 : ipaddr.IPv6
  return kind.networkAddressFromCIDR(canonical).toString() === parsed.toString() ? canonical : undefined
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isPlainIpv4(address)) return ipaddr.IPv4.parse(address)
  // A zone (%eth0) has a meaning on one machine only.
  if (address.includes('%') || !ipaddr.IPv6.isValid(address)) return undefined
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.isIPv4MappedAddress() ? undefined : parsed
}

/** Whether an address in canonical form is in one of the networks. An unknown address is in none. */
export const isWithin = (address: string | undefined, networks: readonly string[]): boolean =>
  address !== undefined && isNetworkWithin(address, networks)

/** Whether a network or an address in canonical form is a part of one of the networks. */
export function isNetworkWithin(part: string, networks: readonly string[]): boolean {
  const [address = '', prefix] = part.split('/')
  const parsed = parse(address)
  if (!parsed) return false
  return networks.some((network) => {
    const [base, length] = ipaddr.parseCIDR(network)
    if (prefix !== undefined && Number(prefix) < length) return false
    // `match` of either kind takes a base of the same kind, which the type of two kinds does not tell.
    return base.kind() === parsed.kind() && parsed.match([base, length] as never)
  })
}
