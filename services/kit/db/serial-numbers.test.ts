import { expect, test } from 'bun:test'
import { withSerialNumber } from './ids.ts'

const taken = 'P-AAAAAAAA'
const insert = async (serialNumber: string) => (serialNumber === taken ? [] : [{ serialNumber }])

test('a taken serial number is replaced by another', async () => {
  const generated = [taken, taken, 'P-0000TEST']
  const row = await withSerialNumber('P', insert, () => generated.shift() ?? '')
  expect(row).toEqual({ serialNumber: 'P-0000TEST' })
})

test('a record without a free serial number in ten attempts is not created', async () => {
  let attempts = 0
  const always = () => {
    attempts++
    return taken
  }
  await expect(withSerialNumber('P', insert, always)).rejects.toThrow('no free serial number in 10 attempts')
  expect(attempts).toBe(10)
})

test('a serial number has its letter and eight characters that are easy to read', async () => {
  const { serialNumber } = await withSerialNumber('R', insert)
  expect(serialNumber).toMatch(/^R-[0-9A-HJKMNP-TV-Z]{8}$/)
})
