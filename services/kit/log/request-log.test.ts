import { expect, test } from 'bun:test'
import { createLog } from './log.ts'
import { createRequestLog } from './request-log.ts'

const ENTRY = {
  requestId: 'r-1',
  operation: 'listParts',
  method: 'GET',
  status: 200,
  code: undefined,
  ms: 1.25,
  traceId: undefined,
  tenant: 'org',
  user: 'user',
  ip: undefined,
}

const options = (level: string) => {
  const lines: string[] = []
  return {
    lines,
    service: 'catalog',
    version: '1.2.3',
    level,
    destination: { write: (l: string) => void lines.push(l) },
  }
}

test('a request line starts with the common fields and has the request fields', () => {
  const { lines, ...rest } = options('info')
  createRequestLog(rest).write(ENTRY)
  createLog(rest).info('something else')
  const [requestLine, otherLine] = lines.map((line) => JSON.parse(line))
  expect(Object.keys(requestLine).slice(0, 4)).toEqual(Object.keys(otherLine).slice(0, 4))
  const { ip: _, traceId: __, code: ___, ...fields } = ENTRY
  expect(requestLine).toEqual({
    ...fields,
    level: 'info',
    service: 'catalog',
    version: '1.2.3',
    time: requestLine.time,
  })
  expect(requestLine.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('the line of an error has its code, behind its status', () => {
  const { lines, ...rest } = options('info')
  createRequestLog(rest).write({ ...ENTRY, status: 400, code: 'validation_error' })
  expect(lines[0]).toContain('"status":400,"code":"validation_error","ms":1.25,')
})

test('a line break in a field is escaped', () => {
  const { lines, ...rest } = options('info')
  createRequestLog(rest).write({ ...ENTRY, ip: '1.2.3.4"}\n{"level":"fatal' })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.indexOf('\n')).toBe((lines[0] as string).length - 1)
})

test('no request line is written at levels above info', () => {
  for (const level of ['warn', 'error', 'fatal', 'silent']) {
    const { lines, ...rest } = options(level)
    createRequestLog(rest).write(ENTRY)
    expect(lines).toEqual([])
  }
})

test.each([
  [200, 'info', ['debug', 'info']],
  [404, 'info', ['debug', 'info']],
  [503, 'warn', ['debug', 'info', 'warn']],
  [500, 'error', ['debug', 'info', 'warn', 'error']],
] as const)('the line of a %d has the level %s, and is written at %p', (status, level, settings) => {
  const writtenAt = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'].filter((setting) => {
    const { lines, ...rest } = options(setting)
    createRequestLog(rest).write({ ...ENTRY, status })
    if (lines[0]) expect(JSON.parse(lines[0]).level).toBe(level)
    return lines.length > 0
  })
  expect(writtenAt).toEqual([...settings])
})
