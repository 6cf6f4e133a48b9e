import { expect, test } from 'bun:test'
import { ServiceLogReader } from './service-log.ts'

const line = (entry: object) => `${JSON.stringify(entry)}\n`
const SERVING = line({ level: 'info', service: 'identity', msg: 'serving' })

test('an error of a service: its message and stack in readable form', () => {
  const err = { message: 'no column', stack: 'Error: no column\n    at run (parts.ts:1:2)' }
  const entry = { level: 'error', service: 'sourcing', msg: 'unexpected error', requestId: 'r1', err }
  expect(new ServiceLogReader({ verbose: false }).read(line(entry))).toEqual([
    'Error in sourcing: unexpected error (request r1)\n  Error: no column\n      at run (parts.ts:1:2)',
  ])
})

test('requests and warnings are not shown', () => {
  const reader = new ServiceLogReader({ verbose: false })
  expect(reader.read(line({ level: 'info', service: 'catalog', operation: 'listMaterials', status: 200 }))).toEqual([])
  expect(reader.read(line({ level: 'warn', service: 'catalog', msg: 'slow' }))).toEqual([])
})

test('with verbose each request is one line', () => {
  const reader = new ServiceLogReader({ verbose: true })
  const common = { level: 'info', time: '2026-04-29T09:10:00.123Z', requestId: 'r1', method: 'POST', ms: 3.4 }
  const requests = [
    { ...common, service: 'sourcing', operation: 'createPart', status: 200 },
    { ...common, service: 'identity', operation: 'createToken', status: 422, code: 'validation_error' },
  ]
  expect(reader.read(requests.map(line).join(''))).toEqual([
    '09:10:00  POST createPart (sourcing): 200, 3.4 ms, request r1',
    '09:10:00  POST createToken (identity): 422 validation_error, 3.4 ms, request r1',
  ])
  expect(reader.read(line({ level: 'info', service: 'sourcing', msg: 'leadership acquired' }))).toEqual([])
})

test('a reload is announced, the first start is not', () => {
  const reader = new ServiceLogReader({ verbose: false })
  expect(reader.read(SERVING)).toEqual([])
  expect(reader.read(SERVING)).toEqual(['The services were reloaded.'])
})

test('output of Bun, such as the reason of a failed reload, is shown, also when it arrives in parts', () => {
  const reader = new ServiceLogReader({ verbose: false })
  expect(reader.read('error: Expected ";" but ')).toEqual([])
  expect(reader.read('found "x"\n    at services/a.ts:1\n\n')).toEqual([
    'error: Expected ";" but found "x"',
    '    at services/a.ts:1',
  ])
})
