import { expect, test } from 'bun:test'
import { createSteps } from './steps.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, written, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
}

test('without a terminal: a line for each step and detail', async () => {
  const output = terminal(false)
  const { step, progress } = createSteps(output)
  expect(await step('Migrating', async () => progress('organization 3'))).toBeUndefined()
  expect(output.written).toEqual(['Migrating\n', 'organization 3\n'])
})

test('on a terminal: a spinner, then the step with its time', async () => {
  const output = terminal(true)
  expect(await createSteps(output).step('Migrating', async () => 7)).toBe(7)
  expect(output.written[0]).toMatch(/⠙ Migrating 0\.0 s$/)
  expect(output.written.at(-1)).toMatch(/✔ Migrating \d+\.\d s\n$/)
})

test('a failed step on a terminal: marked, and its error is passed on', async () => {
  const output = terminal(true)
  const failing = createSteps(output).step('Migrating', () => Promise.reject(new Error('no disk')))
  await expect(failing).rejects.toThrow('no disk')
  expect(output.written.at(-1)).toMatch(/✖ Migrating \d+\.\d s\n$/)
})
