import ipaddr from 'ipaddr.js'

/** Beyond what ipaddr.js tells apart: addresses that look public and lead inside, to a relay, or nowhere. */
const REFUSED_V4 = [
  '0.0.0.0/8',
  // The host of Azure's virtual machines answers there, with their metadata.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** All that is given out for use on the internet lies in here. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

const REFUSED_V6 = [
  // IETF protocols, Teredo, ORCHID and benchmarking among them.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.IPv6.parseCIDR(range))

/**
 * Whether an address, as a resolver writes it, is one of the internet: not loopback, link-local, private, shared,
 * multicast, unspecified, for documentation or benchmarking, of a cloud's metadata, nor an IPv4 address in disguise.
 */
export function isPublicAddress(text: string): boolean {
  // Short and odd spellings are no resolver's.
  if (!ipaddr.IPv6.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !REFUSED_V4.some((range) => address.match(range))
  if (!(address instanceof ipaddr.IPv6) || address.zoneId) return false
  return address.match(GLOBAL_V6) && !REFUSED_V6.some((range) => address.match(range))
}

/** Names that mean something on a machine or in a network alone, whatever a resolver says of them. */
const LOCAL_NAMES =
  /^[^.]*$|(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid)$/

/** Whether a host name, in lower case and without a dot at its end, can be anybody's on the internet. */
export const isPublicName = (name: string) => !LOCAL_NAMES.test(name)
