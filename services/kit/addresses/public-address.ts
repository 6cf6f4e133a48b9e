import ipaddr from 'ipaddr.js'

/** The metadata service of Azure, which has an address of a public range. */
const AZURE_METADATA = '168.63.129.16'

/** The only IPv6 range of global unicast addresses. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address is globally routable: not loopback, link-local, private, shared, multicast, unspecified, for
 * documentation or benchmarking, a cloud's metadata service, or an IPv4 address embedded in IPv6.
 */
export function isPublicAddress(text: string): boolean {
  // Short and octal spellings of IPv4 are refused, because resolvers never return them.
  if (!ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_METADATA
  if (!(address instanceof ipaddr.IPv6) || address.zoneId) return false
  return address.match(GLOBAL_V6)
}

/** Names that are reserved for a host or a local network. */
const LOCAL_NAMES =
  /^[^.]*$|(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid)$/

/** Whether a host name, in lower case and without a trailing dot, may be public. */
export const isPublicName = (name: string) => !LOCAL_NAMES.test(name)
