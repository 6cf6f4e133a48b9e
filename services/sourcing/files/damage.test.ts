import { describe, expect, test } from 'bun:test'
import { truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, Uploading } from '../../testing/files/uploading.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' })
const owner = await market.organization(['IP_OWNER'])
const own = new Uploading(market, owner.administrator.client)
const part = await own.part()

/** A private and a public file, and where the bytes of each are. */
async function filesWithPaths() {
  const files = [
    await own.added(part, 'solid impeller', 'document', 'a'),
    await own.added(part, 'b', 'document', 'b', true),
  ]
  const paths = files.map(async ({ id }) => {
    const [row] = await own.rows<{ object_key: string }[]>`select object_key from sourcing.files where id = ${id}`
    return join(String(market.config.FILES_FOLDER), 'objects', String(row?.object_key))
  })
  return { files, paths: await Promise.all(paths) }
}

async function answersOf(files: Parameters<Uploading['download']>[0][]) {
  const answers = await Promise.all(files.map((file) => own.download(file)))
  return Promise.all(answers.map(async (answer) => [answer.status, ((await answer.json()) as Problem).code]))
}

describe('a file in the folder', () => {
  test('whose bytes went while somebody asked for them is 404, private or public', async () => {
    const { files, paths } = await filesWithPaths()
    for (const path of paths) await unlink(path)
    expect(await answersOf(files)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
  })

  test.each([
    ['cut off', (path: string) => truncate(path, 100)],
    ['a byte too short', (path: string) => truncate(path, 512)],
    ['empty', (path: string) => truncate(path, 0)],
    ['something else', (path: string) => writeFile(path, 'x'.repeat(1000))],
  ])("that somebody left %s is the store's failure, and never sent for the whole", async (_, damage) => {
    const { files, paths } = await filesWithPaths()
    for (const path of paths) await damage(path)
    expect(await answersOf(files)).toEqual([
      [503, 'unavailable'],
      [503, 'unavailable'],
    ])
  })
})
