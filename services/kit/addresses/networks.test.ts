import { expect, test } from 'bun:test'
import { canonicalNetwork, isWithin } from './networks.ts'

test.each([
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['203.0.113.7', '203.0.113.7/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::7', '2001:db8::7/128'],
  ['::/0', '::/0'],
])('%s is %s', (text, canonical) => {
  expect(canonicalNetwork(text)).toBe(canonical)
})

test.each([
  ['bits after the prefix', '203.0.113.7/24'],
  ['bits after the prefix of IPv6', '2001:db8::1/32'],
  ['IPv4 in IPv6', '::ffff:203.0.113.7'],
  ['IPv4 in IPv6, in hexadecimal', '::ffff:cb00:7107/128'],
  ['all of IPv4 in IPv6', '::ffff:0:0/96'],
  ['octal numbers', '010.0.0.0/8'],
  ['a hexadecimal number', '0x0a.0.0.0/8'],
  ['one number', '167772160'],
  ['three numbers', '10.0.0/8'],
  ['a zone', 'fe80::1%eth0'],
  ['a prefix of 33', '10.0.0.0/33'],
  ['a prefix of 129', '::/129'],
  ['a prefix with a zero', '10.0.0.0/08'],
  ['a sign', '10.0.0.0/+8'],
  ['an empty prefix', '10.0.0.0/'],
  ['two prefixes', '10.0.0.0/8/8'],
  ['a netmask', '10.0.0.0/255.0.0.0'],
  ['spaces', ' 10.0.0.0/8'],
  ['a name', 'localhost'],
  ['nothing', ''],
])('%s is no network: %s', (_, text) => {
  expect(canonicalNetwork(text)).toBeUndefined()
})

test('an address is only in a network of its own kind', () => {
  expect(isWithin('203.0.113.255', ['198.51.100.0/24', '203.0.113.0/24'])).toBe(true)
  expect(isWithin('203.0.114.0', ['203.0.113.0/24'])).toBe(false)
  expect(isWithin('203.0.113.7', ['203.0.113.7/32'])).toBe(true)
  expect(isWithin('2001:db8::ffff', ['2001:db8::/32'])).toBe(true)
  expect(isWithin('203.0.113.7', ['::/0'])).toBe(false)
  expect(isWithin('2001:db8::1', ['0.0.0.0/0'])).toBe(false)
})

test('an unknown address, and one that is not canonical, is in none', () => {
  for (const address of [undefined, '', 'unknown', '::ffff:203.0.113.7', '203.0.113.07', 'fe80::1%eth0']) {
    expect([address, isWithin(address, ['0.0.0.0/0', '::/0'])]).toEqual([address, false])
  }
})
