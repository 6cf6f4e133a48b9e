import { afterAll, afterEach, expect, test } from 'bun:test'
import { freePort, portFrom, requireFreePort, requireHost } from './ports.ts'

const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
afterAll(() => listener.stop(true))
afterEach(() => {
  delete process.env.PROBE_PORT
})

test('a port in use: refused in one sentence that names the variable', () => {
  expect(() => requireFreePort('PORT', listener.port)).toThrow(
    `Port ${listener.port} is in use by another program: choose another with PORT=`,
  )
})

test('a free port: accepted', () => {
  expect(() => requireFreePort('PORT', freePort())).not.toThrow()
})

test('freePort with a preferred port: that port if it is free, else another one', () => {
  const preferred = freePort()
  expect(freePort(preferred)).toBe(preferred)
  expect(freePort(listener.port)).not.toBe(listener.port)
})

test.each(['abc', '0', '65536', '80.5', '-1', '0x50'])('%p: refused as a port', (text) => {
  process.env.PROBE_PORT = text
  expect(() => portFrom('PROBE_PORT', 8080)).toThrow(`PROBE_PORT=${text} is not a port`)
})

test.each(['127.0.0.1', 'localhost', '0.0.0.0', '::'])('HOST=%s: accepted', async (host) => {
  await requireHost(host)
})

test.each(['no.such.host.invalid', '203.0.113.1', '999.1.1.1', 'a b'])('HOST=%s: refused', async (host) => {
  await expect(requireHost(host)).rejects.toThrow(`HOST=${host} cannot be used: it is no address of this machine.`)
})

test('a host of this machine without 127.0.0.1: refused', async () => {
  await expect(requireHost('127.0.0.2')).rejects.toThrow('HOST=127.0.0.2 leaves out 127.0.0.1')
})

test('a missing or empty port: the default', () => {
  expect(portFrom('PROBE_PORT', 8080)).toBe(8080)
  process.env.PROBE_PORT = ''
  expect(portFrom('PROBE_PORT', 8080)).toBe(8080)
})
