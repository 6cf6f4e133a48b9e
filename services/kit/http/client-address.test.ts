import { expect, test } from 'bun:test'
import { clientAddress, networkOf, siteOf } from './client-address.ts'

test('without trusted proxies the header is ignored', () => {
  expect(clientAddress('192.0.2.1', '203.0.113.9', 0)).toBe('192.0.2.1')
})

test('each trusted proxy accounts for one hop from the right', () => {
  const chain = 'spoofed, 203.0.113.9, 198.51.100.2'
  expect(clientAddress('10.0.0.1', chain, 1)).toBe('198.51.100.2')
  expect(clientAddress('10.0.0.1', chain, 2)).toBe('203.0.113.9')
})

test('spellings of one address, with or without a port, are normalized', () => {
  for (const spelled of [
    '1.2.3.4',
    '1.2.3.4:50123',
    '::FFFF:102:304',
    '0:0:0:0:0:ffff:1.2.3.4',
    '[::ffff:1.2.3.4]:80',
  ]) {
    expect(clientAddress('10.0.0.1', spelled, 1)).toBe('1.2.3.4')
  }
  expect(clientAddress('10.0.0.1', '[2001:DB8:0:0::1]:443', 1)).toBe('2001:db8::1')
})

test('an ambiguous spelling is ignored', () => {
  for (const spelled of ['01.2.3.4', '1.2.3', '1.2.3.256', '0x1.2.3.4', '::1%eth0x', '']) {
    expect(clientAddress('10.0.0.1', spelled, 1)).toBe('10.0.0.1')
  }
})

test('IPv6 addresses are grouped by their /64', () => {
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff:1'))
  expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'))
  expect([networkOf('192.0.2.1'), networkOf(undefined)]).toEqual(['192.0.2.1', 'unknown'])
})

test('an invalid or missing address is ignored', () => {
  expect(clientAddress('10.0.0.1', 'spoofed', 1)).toBe('10.0.0.1')
  expect(clientAddress('10.0.0.1', null, 1)).toBe('10.0.0.1')
})

test('an IPv4-mapped address is returned as IPv4', () => {
  expect(clientAddress('::ffff:192.0.2.1', null, 0)).toBe('192.0.2.1')
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['unknown', 'unknown'],
  ['2001:db8:9:1::/64', '2001:db8:9:%'],
  ['2001:db8:9::/64', '2001:db8:9:%'],
  ['2001:db8:0:1::/64', '2001:db8:0:%'],
])('the networks of the client of %s are %s', (network, pattern) => {
  expect(siteOf(network)).toBe(pattern)
})
