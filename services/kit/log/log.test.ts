import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

const listen = () => {
  const lines: Record<string, unknown>[] = []
  return { lines, destination: { write: (line: string) => void lines.push(JSON.parse(line)) } }
}

test('each line is JSON with service, version, level and time', () => {
  const { lines, destination } = listen()
  createLog({ service: 'catalog', version: '1.2.3', level: 'info', destination }).info({ requestId: 'r' })
  expect(lines[0]).toMatchObject({ level: 'info', service: 'catalog', version: '1.2.3', requestId: 'r' })
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('what is named like a secret is not written, at any depth that our objects have', () => {
  const { lines, destination } = listen()
  const log = createLog({ service: 's', version: 'v', level: 'info', destination })
  log.info({ password: 'one', body: { refresh_token: 'two', deep: { secret: 'three' } }, sasUrl: 'four' }, 'x')
  const text = JSON.stringify(lines)
  for (const secret of ['one', 'two', 'three', 'four']) expect(text).not.toContain(secret)
})

test('an error shows its code and place, not the statement or the parameters it may carry', () => {
  const { lines, destination } = listen()
  const error = Object.assign(new Error('boom'), { code: '23505', query: 'select 1', parameters: ['sown-4711'] })
  createLog({ service: 's', version: 'v', level: 'info', destination }).error({ err: error }, 'x')
  expect(lines[0]).toMatchObject({ level: 'error', err: { message: 'boom', code: '23505' } })
  expect(JSON.stringify(lines)).not.toContain('4711')
})

test('levels below the threshold are not written', () => {
  const { lines, destination } = listen()
  createLog({ service: 's', version: 'v', level: 'warn', destination }).info({}, 'x')
  expect(lines).toEqual([])
})
