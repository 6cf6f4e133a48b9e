import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { storageFailure } from '../failures.ts'
import { writeObject } from './object-file.ts'

/** Linux: every write to this device fails with ENOSPC. */
const FULL_DEVICE = '/dev/full'
const signal = new AbortController().signal

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 100; n++) yield new Uint8Array(100_000)
}

test('a write to a full disk is a 503 with that reason', async () => {
  const failure: unknown = existsSync(FULL_DEVICE)
    ? await writeToFullDevice().catch((error) => error)
    : Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  expect(failure).toMatchObject({ code: 'ENOSPC' })
  expect(storageFailure(failure)).toMatchObject({ code: 'unavailable', detail: 'The file store is full.' })
})

async function writeToFullDevice() {
  await using file = await open(FULL_DEVICE, 'w')
  return await writeObject(file, chunks(), { maxBytes: 1e9, signal })
}
