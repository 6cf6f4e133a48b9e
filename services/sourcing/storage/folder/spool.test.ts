import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { storageFailure } from '../failures.ts'
import { spool } from './spool.ts'

/** Nothing can be written there: it stands for a disk that has no room left. */
const FULL = '/dev/full'
const signal = new AbortController().signal

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 100; n++) yield new Uint8Array(100_000)
}

test('a disk that is full is told as what it is', async () => {
  const failure: unknown = existsSync(FULL)
    ? await spoolToFull().catch((error) => error)
    : Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  expect(failure).toMatchObject({ code: 'ENOSPC' })
  expect(storageFailure(failure)).toMatchObject({ code: 'unavailable', detail: 'The file store is full.' })
})

async function spoolToFull() {
  await using file = await open(FULL, 'w')
  return await spool({ file, path: FULL }, chunks(), { maxBytes: 1e9, signal })
}
