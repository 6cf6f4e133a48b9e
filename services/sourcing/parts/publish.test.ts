import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER', 'CONSUMER'])
const isPart = TypeCompiler.Compile(Part)

interface Problem {
  detail: string
  code: string
  errors?: { field: string; message: string }[]
}
type Created = { id: string; serialNumber: string }

const create = (body: unknown, client: ApiClient = owner.administrator.client, headers: Record<string, string> = {}) =>
  client.post<Created & Problem>('/v1/parts', body, headers)
const publish = (id: string, client: ApiClient = owner.administrator.client) =>
  client.post<Part & Problem>(`/flows/v1/parts/${id}/publish`)

async function created(body: unknown): Promise<string> {
  const answer = await create(body)
  expect(answer.status).toBe(200)
  return answer.body.id
}

describe('POST /flows/v1/parts/{id}/publish', () => {
  test('moves a draft with title and material to PUBLISHED', async () => {
    const answer = await publish(await created({ title: 'Ready', materialId: '316l' }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ state: 'PUBLISHED', title: 'Ready' })
    expect(answer.body.publishedTime).toBe(answer.body.updatedTime)
    expect(isPart.Check(answer.body)).toBe(true)
  })

  test('with a body field is 400, with another media type 415', async () => {
    const { client } = owner.administrator
    const id = await created({ title: 'Bodiless', materialType: 'wax' })
    const path = `/flows/v1/parts/${id}/publish`
    expect((await client.post(path, { x: 1 })).status).toBe(400)
    expect((await client.post(path, 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await client.post(path, {})).status).toBe(200)
  })

  test('without a required field is 409 with the fields', async () => {
    const answer = await publish(await created({}))
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    expect(answer.body.errors?.map(({ field }) => field)).toEqual(['title', 'materialType'])
  })

  test('of concurrent requests one succeeds and the others get 409', async () => {
    const id = await created({ title: 'Race', materialType: 'wax' })
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => publish(id)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
  })

  test("another organization's part is 404, published or not, and without part:publish it is 403", async () => {
    const id = await created({ title: 'Not yours', materialType: 'wax' })
    expect((await publish(id, stranger.administrator.client)).status).toBe(404)
    const member = await owner.member(['part:create'])
    expect((await publish(id, member.client)).status).toBe(403)
    await publish(id)
    expect((await publish(id, stranger.administrator.client)).status).toBe(404)
  })
})
