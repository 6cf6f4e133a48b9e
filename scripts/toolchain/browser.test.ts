import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from './browser.ts'

const folder = await mkdtemp(join(tmpdir(), 'browser-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const options = { progress: () => {} }

test('CHROMIUM names the browser of the tests', async () => {
  const path = join(folder, 'chromium')
  await Bun.write(path, '#!/bin/sh\necho Chromium 156\n')
  await chmod(path, 0o755)
  expect(await findBrowser(options, path)).toBe(path)
})

test('a CHROMIUM that does not start is one sentence', async () => {
  const path = join(folder, 'missing')
  expect(await findBrowser(options, path).catch((error: Error) => error.message)).toBe(
    `CHROMIUM names ${path}, which does not start.`,
  )
})
