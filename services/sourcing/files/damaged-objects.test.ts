import { describe, expect, test } from 'bun:test'
import { truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' })
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)
const part = await own.createPart()

/** A private and a public file, and the paths of their objects. */
async function filesWithPaths() {
  const files = [
    await own.addFile(part, 'solid impeller', 'document', 'a'),
    await own.addFile(part, 'b', 'document', 'b', true),
  ]
  const paths = files.map(async ({ id }) => {
    const [row] = await own.rows<{ object_key: string }[]>`select object_key from sourcing.files where id = ${id}`
    return join(String(market.config.FILES_FOLDER), 'objects', String(row?.object_key))
  })
  return { files, paths: await Promise.all(paths) }
}

async function responsesTo(files: Parameters<FileClient['download']>[0][]) {
  const responses = await Promise.all(files.map((file) => own.download(file)))
  return Promise.all(responses.map(async (response) => [response.status, ((await response.json()) as Problem).code]))
}

describe('a download from the folder store', () => {
  test('of a file without its object is 404, private or public', async () => {
    const { files, paths } = await filesWithPaths()
    for (const path of paths) await unlink(path)
    expect(await responsesTo(files)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
  })

  test.each([
    ['truncated to 100 bytes', (path: string) => truncate(path, 100)],
    ['truncated to its trailer', (path: string) => truncate(path, 512)],
    ['emptied', (path: string) => truncate(path, 0)],
    ['overwritten', (path: string) => writeFile(path, 'x'.repeat(1000))],
  ])('of an object that was %s is 503', async (_, damage) => {
    const { files, paths } = await filesWithPaths()
    for (const path of paths) await damage(path)
    expect(await responsesTo(files)).toEqual([
      [503, 'unavailable'],
      [503, 'unavailable'],
    ])
  })
})
