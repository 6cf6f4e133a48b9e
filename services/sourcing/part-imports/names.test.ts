import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { PartImport } from '../../../proto/http/sourcing/part-imports.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const { client } = owner.administrator
const isAnswer = TypeCompiler.Compile(PartImport)

const send = (csv: string, { dryRun = false } = {}) =>
  client.post<PartImport>(`/flows/v1/part-imports${dryRun ? '?dryRun=true' : ''}`, csv, { 'content-type': 'text/csv' })
const read = async (id: string | undefined) => (await client.get<Part>(`/v1/parts/${id}`)).body
const create = async (body: object) => (await client.post<{ id: string }>('/v1/parts', body)).body.id

let references = 0
const newReference = () => `REF-${++references}`

describe('an import', () => {
  test('takes the name of a material or process in upper or lower case for its code', async () => {
    const reference = newReference()
    const { body } = await send(
      `externalRef;title;materialId;processId\n${reference};Hub;stainless STEEL 316L (1.4404);Binder jetting of METAL\n`,
    )
    expect(await read(body.rows[0]?.partId)).toMatchObject({ materialId: '316l', processId: 'bjt-metal' })
    const again = await send(`externalRef;materialId\n${reference};Stainless steel 316L (1.4404)\n`)
    expect(again.body).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  })

  test('refuses a name of more than one material, and lists their codes; a code is no name', async () => {
    const [{ version }] = await market.db.owner<[{ version: string }]>`
      select version from catalog.catalogs where name = 'materials'`
    const [reference, other] = [newReference(), newReference()]
    await market.db.owner`
      insert into catalog.materials (version, line, code, name, type, standard_codes)
      select ${version}, 9000 + n, 'twin-' || n, 'Twin steel', 'metal', '{}' from generate_series(1, 7) n`
    await market.db.owner`
      insert into catalog.materials (version, line, code, name, type, standard_codes)
      values (${version}, 9010, 'other-steel', 'twin-1', 'polymer', '{}')`
    const { body } = await send(
      `externalRef,title,materialId\n${reference},Hub,twin steel\n${other},Hub,twin-1\n${newReference()},Hub,Triplet steel\n`,
      { dryRun: true },
    )
    expect(body.problems).toEqual([
      {
        row: 2,
        field: 'materialId',
        message: 'is the name of more than one material: `twin-1`, `twin-2`, `twin-3`, `twin-4`, `twin-5` and more',
      },
      { row: 4, field: 'materialId', message: 'there is no material `Triplet steel`; see GET /v1/materials' },
    ])
    const { body: created } = await send(`externalRef,title,materialId\n${other},Hub,twin-1\n`)
    expect(await read(created.rows[0]?.partId)).toMatchObject({ materialId: 'twin-1' })
  })

  test('without a title warns in a dry run that the part cannot be published; a part that exists gets no warning', async () => {
    const [reference, known] = [newReference(), newReference()]
    await create({ externalRef: known })
    const csv = `externalRef,title,description\n${reference},,New.\n${known},,Known.\n${newReference()},Hub,New.\n`
    const { body } = await send(csv, { dryRun: true })
    expect([body.created, body.problems, isAnswer.Check(body)]).toEqual([2, [], true])
    expect(body.warnings).toEqual([
      { row: 2, field: 'title', message: 'is missing, so the part cannot be published yet' },
    ])
    const done = await send(csv)
    expect([done.status, 'warnings' in done.body]).toEqual([200, false])
  })
})
