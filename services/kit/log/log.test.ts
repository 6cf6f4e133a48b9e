import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

const capture = () => {
  const lines: Record<string, unknown>[] = []
  return { lines, destination: { write: (line: string) => void lines.push(JSON.parse(line)) } }
}

test('each line is JSON with service, version, level and time', () => {
  const { lines, destination } = capture()
  createLog({ service: 'catalog', version: '1.2.3', level: 'info', destination }).info({ requestId: 'r' })
  expect(lines[0]).toMatchObject({ level: 'info', service: 'catalog', version: '1.2.3', requestId: 'r' })
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('fields named like a secret are redacted at every supported depth', () => {
  const { lines, destination } = capture()
  const log = createLog({ service: 's', version: 'v', level: 'info', destination })
  log.info({ password: 'one', body: { refresh_token: 'two', deep: { secret: 'three' } }, sasUrl: 'four' }, 'x')
  const text = JSON.stringify(lines)
  for (const secret of ['one', 'two', 'three', 'four']) expect(text).not.toContain(secret)
})

test('an error is logged with its code and without statement and parameters', () => {
  const { lines, destination } = capture()
  const error = Object.assign(new Error('boom'), { code: '23505', query: 'select 1', parameters: ['planted-4711'] })
  createLog({ service: 's', version: 'v', level: 'info', destination }).error({ err: error }, 'x')
  expect(lines[0]).toMatchObject({ level: 'error', err: { message: 'boom', code: '23505' } })
  expect(JSON.stringify(lines)).not.toContain('4711')
})

test.each([
  [
    'InvalidHTTPResponse fetching "http://127.0.0.1:8080/a?sig=planted-4711". For more information',
    '"http://127.0.0.1:8080/…". For',
  ],
  ['ZlibError fetching "https://a.example.com/planted-4711". For more information', '"https://a.example.com/…". For'],
  ['Unable to connect to https://user:planted-4711@a.example.com/', 'to https://a.example.com/…'],
  ['Requested https://user:planted-4711@a.example.com for it', 'Requested https://a.example.com/… for'],
  ['Redirected to HTTPS://a.example.com?planted-4711 and on', 'to HTTPS://a.example.com/… and'],
])('a URL in an error is reduced to its host: %s', (message, expected) => {
  const { lines, destination } = capture()
  const log = createLog({ service: 's', version: 'v', level: 'info', destination })
  log.warn({ err: new Error(message) }, 'x')
  log.warn({ err: message }, 'x')
  for (const line of lines) expect((line.err as Error).message).toContain(expected)
  expect(JSON.stringify(lines)).not.toContain('4711')
})

test('levels below the threshold are not written', () => {
  const { lines, destination } = capture()
  createLog({ service: 's', version: 'v', level: 'warn', destination }).info({}, 'x')
  expect(lines).toEqual([])
})
