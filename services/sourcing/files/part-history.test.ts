import { describe, expect, test } from 'bun:test'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)

describe('the history of a part', () => {
  interface Entry {
    kind: string
    changes: { field: string; before?: unknown; after?: unknown }[]
  }
  const changesOf = async (part: string) => {
    const { body } = await own.client.get<{ items: Entry[] }>(`/v1/parts/${part}/history?pageSize=50`)
    return body.items.flatMap(({ changes }) => changes).filter(({ field }) => field.startsWith('files.'))
  }

  test('contains added and removed files, by their public names', async () => {
    const part = await own.createPart()
    const { id } = await own.addFile(part, 'x', 'ip', 'Rad „2“.stl')
    const added = [
      { field: `files.${id}.name`, after: 'Rad „2“.stl' },
      { field: `files.${id}.group`, after: 'ip' },
      { field: `files.${id}.state`, after: 'READY' },
    ]
    expect(await changesOf(part)).toEqual(added)
    await own.changeFiles(part, { remove: [id] })
    const removed = added.map(({ field, after }) => ({ field, before: after }))
    expect(await changesOf(part)).toEqual([...removed, ...added])
  })

  test('is deleted with the part, and its objects are scheduled for deletion', async () => {
    const part = await own.createPart()
    await own.addFile(part, 'x')
    const [file] = await market.db.owner`select object_key from sourcing.files where part_id = ${part}`
    expect((await own.client.send('DELETE', `/flows/v1/parts/${part}`)).status).toBe(204)
    expect((await own.client.get(`/v1/parts/${part}/history`)).status).toBe(404)
    const scheduled = await market.db.owner`
      select object_key from sourcing.scheduled_deletions where object_key = ${file?.object_key} and due_at <= now()`
    expect(scheduled).toHaveLength(1)
  })
})
