import ipaddr from 'ipaddr.js'

/** Ranges that ipaddr.js reports as unicast although they are internal, relays, or unassigned. */
const REFUSED_V4 = [
  '0.0.0.0/8',
  // The metadata service of Azure.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** The only range of global unicast addresses. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

const REFUSED_V6 = [
  // IETF protocol assignments, such as Teredo, ORCHID and benchmarking.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.IPv6.parseCIDR(range))

/**
 * Whether an address is globally routable: not loopback, link-local, private, shared, multicast, unspecified, for
 * documentation or benchmarking, a cloud's metadata service, or an IPv4 address embedded in IPv6.
 */
export function isPublicAddress(text: string): boolean {
  // Resolvers never return short or octal spellings.
  if (!ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !REFUSED_V4.some((range) => address.match(range))
  if (!(address instanceof ipaddr.IPv6) || address.zoneId) return false
  return address.match(GLOBAL_V6) && !REFUSED_V6.some((range) => address.match(range))
}

/** Names that are reserved for a host or a local network. */
const LOCAL_NAMES =
  /^[^.]*$|(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid)$/

/** Whether a host name, in lower case and without a trailing dot, may be public. */
export const isPublicName = (name: string) => !LOCAL_NAMES.test(name)
