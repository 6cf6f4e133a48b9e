import { expect, test } from 'bun:test'
import { contentLengthOf } from './content-length.ts'

const lengthOf = (text: string) => contentLengthOf({ headers: new Headers({ 'content-length': text }) })

test('digits are a length', () => {
  expect(['0', '5', '0005', '536870912'].map(lengthOf)).toEqual([0, 5, 5, 536_870_912])
})

test.each(['', '5, 5', '-5', '+5', '5.0', '5e3', '0x5', 'NaN', 'Infinity', '1_000', '9'.repeat(400)])(
  '%j is no length',
  (text) => expect(lengthOf(text)).toBeUndefined(),
)

test('a message without the field has no known length', () => {
  expect(contentLengthOf({ headers: new Headers() })).toBeUndefined()
})
