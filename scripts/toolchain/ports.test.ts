import { afterAll, afterEach, expect, test } from 'bun:test'
import { demandFreePort, freePort, portFrom } from './ports.ts'

const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
afterAll(() => listener.stop(true))
afterEach(() => {
  delete process.env.PROBE_PORT
})

test('a port in use is one sentence that names the variable', () => {
  expect(() => demandFreePort('PORT', listener.port)).toThrow(
    `Port ${listener.port} is in use by another program: choose another with PORT=`,
  )
})

test('a free port is not refused', () => {
  expect(() => demandFreePort('PORT', freePort())).not.toThrow()
})

test('the wished port is taken when it is free, another one when it is not', () => {
  const wished = freePort()
  expect(freePort(wished)).toBe(wished)
  expect(freePort(listener.port)).not.toBe(listener.port)
})

test.each(['abc', '0', '65536', '80.5', '-1', '0x50'])('%p is no port', (text) => {
  process.env.PROBE_PORT = text
  expect(() => portFrom('PROBE_PORT', 8080)).toThrow(`PROBE_PORT=${text} is no port`)
})

test('a port that is not given, or given empty, is the usual one', () => {
  expect(portFrom('PROBE_PORT', 8080)).toBe(8080)
  process.env.PROBE_PORT = ''
  expect(portFrom('PROBE_PORT', 8080)).toBe(8080)
})
