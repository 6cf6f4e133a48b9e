import { expect, test } from 'bun:test'
import { clientAddress } from './client-address.ts'

test('without trusted proxies the header is somebody else’s word', () => {
  expect(clientAddress('192.0.2.1', '203.0.113.9', 0)).toBe('192.0.2.1')
})

test('each trusted proxy accounts for one hop from the right', () => {
  const chain = 'spoofed, 203.0.113.9, 198.51.100.2'
  expect(clientAddress('10.0.0.1', chain, 1)).toBe('198.51.100.2')
  expect(clientAddress('10.0.0.1', chain, 2)).toBe('203.0.113.9')
})

test('what is no address is not taken for one', () => {
  expect(clientAddress('10.0.0.1', 'spoofed', 1)).toBe('10.0.0.1')
  expect(clientAddress('10.0.0.1', null, 1)).toBe('10.0.0.1')
})

test('IPv4 behind a dual-stack socket is written as IPv4', () => {
  expect(clientAddress('::ffff:192.0.2.1', null, 0)).toBe('192.0.2.1')
})
