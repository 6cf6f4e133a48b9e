import { expect, test } from 'bun:test'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const ROUNDS = 60

const market = await marketplaceOf(['sourcing'], { ...RACING, UPLOADS_OPEN_MAX: '1000' })
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)

test('one of two concurrent requests for an upload attaches it, and the other one changes nothing', async () => {
  const [firstPart, secondPart] = [await own.createPart(), await own.createPart()]
  const answers: { status: number; text: string }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [file, { id }] = [await own.addFile(secondPart, 'an earlier file'), await own.uploadBytes()]
    const add = [{ uploadId: id, group: 'document' }]
    const both = await Promise.all([
      own.changeFiles(firstPart, { add }),
      own.changeFiles(secondPart, { remove: [file.id], add }),
    ])
    answers.push(...both)
    const kept = (await own.listFiles(secondPart)).map((kept) => kept.id)
    // The request that does not get the upload changes nothing.
    expect(kept.includes(file.id)).toBe(both[1].status !== 204)
    if (both[0].status !== 204) continue
    await own.changeFiles(firstPart, { remove: (await own.listFiles(firstPart)).map((taken) => taken.id) })
  }
  expect(answers.filter(({ status }) => status !== 204 && status !== 409)).toEqual([])
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(ROUNDS)
}, 60_000)
