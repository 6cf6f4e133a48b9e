import { describe, expect, test } from 'bun:test'
import { destinationOf } from './destination.ts'
import { isPublicAddress, isPublicName } from './public-address.ts'

const PUBLIC = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0']
const PUBLIC_V6 = ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2400:cb00::1']

const REFUSED: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  metadata: ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'],
  shared: ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '254.1.2.3', '192.0.0.8', '4000::1', '1::1', '8000::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'IPv4 in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:7f00:1',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1', '2001::1', '2001:0:4136:e378::1'],
  'other purposes': [
    '2001:10::1',
    '2001:20::1',
    '100::1',
    '5f00::1',
    '2620:4f:8000::1',
    '192.175.48.1',
    '192.31.196.1',
    '192.52.193.1',
    '2001:1ff:ffff::1',
    '2001:4:112::1',
  ],
  'not an address': ['', 'localhost', '1.2.3', '256.1.1.1', '1.1.1.1.1', 'g::1', '[::1]', '1.1.1.1/8'],
}

describe('an address', () => {
  test.each([...PUBLIC, ...PUBLIC_V6])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  for (const [kind, addresses] of Object.entries(REFUSED)) {
    test.each(addresses)(`%s (${kind}) is not public`, (address) => expect(isPublicAddress(address)).toBe(false))
  }
})

describe('a name', () => {
  test.each(['example.com', 'a.b.example.co.uk', 'xn--mnchen-3ya.de', 'localhost.example.com', 'internal.example.com'])(
    '%s may be public',
    (name) => expect(isPublicName(name)).toBe(true),
  )

  test.each([
    'localhost',
    'a.localhost',
    'db',
    'db.local',
    'metadata.google.internal',
    'x.home.arpa',
    'nas.lan',
    'a.corp',
  ])('%s is local', (name) => expect(isPublicName(name)).toBe(false))
})

const strict = { allowPrivate: false }
const problemOf = (url: string, policy = strict) => {
  const found = destinationOf(url, policy)
  return 'problem' in found ? found.problem : undefined
}

describe('a URL', () => {
  test.each([
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'https://EXAMPLE.com./x',
    'https://1.1.1.1/x',
    'https://[2606:4700:4700::1111]/x',
    'https://bücher.example.com/x',
  ])('%s is allowed', (url) => expect(problemOf(url)).toBeUndefined())

  test.each([
    ['https://127.0.0.1', 'plain'],
    ['https://127.1', 'short'],
    ['https://2130706433', 'decimal'],
    ['https://0x7f000001', 'hex'],
    ['https://0177.0.0.1', 'octal'],
    ['https://0x7f.1', 'mixed'],
    ['https://127.0.0.1.', 'with a trailing dot'],
    ['https://１２７.０.０.１', 'full-width digits'],
    ['https://127。0。0。1', 'ideographic dots'],
    ['https://%31%32%37.0.0.1', 'percent-encoded'],
    ['https://①②⑦.0.0.1', 'circled digits'],
    ['https://[::1]', 'IPv6 loopback'],
    ['https://[0:0:0:0:0:0:0:1]', 'long IPv6'],
    ['https://[::ffff:127.0.0.1]', 'mapped'],
    ['https://[::ffff:7f00:1]', 'mapped in hex'],
    ['https://[::127.0.0.1]', 'compatible'],
    ['https://[64:ff9b::7f00:1]', 'NAT64'],
    ['https://localhost', 'local name'],
    ['https://localhost.', 'local name with a trailing dot'],
    ['https://LOCALHOST', 'local name in capitals'],
    ['https://ｌocalhost', 'full-width local name'],
    ['https://a.localhost', 'subdomain of localhost'],
    ['https://postgres', 'name without a dot'],
    ['https://10.0.0.1', 'private network'],
    ['https://169.254.169.254/latest/meta-data/', 'cloud metadata'],
    ['https://metadata.google.internal', 'cloud metadata by name'],
    ['https://[fd00:ec2::254]', 'cloud metadata by IPv6'],
    ['https://0', 'unspecified'],
  ])('%s (%s) must have a public address', (url) => {
    expect(problemOf(url)).toBe('must have a public address')
  })

  test.each([
    ['http://example.com', 'must be https'],
    ['ftp://example.com', 'must be https'],
    ['file:///etc/passwd', 'must be https'],
    ['data:text/plain,x', 'must be https'],
    ['javascript:alert(1)', 'must be https'],
    ['gopher://127.0.0.1', 'must be https'],
    ['https://user@example.com', 'must not contain credentials'],
    ['https://:password@example.com', 'must not contain credentials'],
    ['https://example.com@127.0.0.1', 'must not contain credentials'],
    ['https://example.com:0/', 'must have a port from 1 to 65535'],
    [' https://example.com/ ', 'must not contain spaces'],
    ['https://example.com/a b', 'must not contain spaces'],
    ['https://example.com/#', 'must not have a fragment'],
    ['https://example.com/#x', 'must not have a fragment'],
    ['https://', 'must be a URL'],
    ['https://.', 'must have a host'],
    ['https://a b', 'must be a URL'],
    ['example.com', 'must be a URL'],
    ['//example.com', 'must be a URL'],
    ['', 'must be a URL'],
    ['https://1.1.1.256', 'must be a URL'],
    ['https://[fe80::1%25eth0]', 'must be a URL'],
    [`https://example.com/${'x'.repeat(2048)}`, 'must have at most 2048 characters'],
  ])('%s %s', (url, problem) => expect(problemOf(url)).toBe(problem))

  test('with allowPrivate may be private and plain HTTP, and is otherwise checked', () => {
    const lax = { allowPrivate: true }
    for (const url of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]/x', 'http://minio:9000/a']) {
      expect(problemOf(url, lax)).toBeUndefined()
    }
    for (const url of ['ftp://localhost', 'http://a@localhost', 'http://localhost#x']) {
      expect(problemOf(url, lax)).toBeString()
    }
  })
})
