import { describe, expect, test } from 'bun:test'
import type { PartImport } from '../../../proto/http/sourcing/part-imports.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const other = (await market.organization(['IP_OWNER'])).administrator.client

describe('the export', () => {
  test('has the own parts, newest first, in the columns of the template; an import of it changes nothing', async () => {
    const exporter = await market.organization(['IP_OWNER'])
    const by = exporter.administrator.client
    const parts = [
      { externalRef: 'A-1', title: '=SUM(A1)', description: 'one\ntwo, "three"' },
      { externalRef: '-7', title: "'=quoted", materialType: 'metal' },
    ]
    for (const part of parts) await by.post('/v1/parts', part)
    await other.post('/v1/parts', { externalRef: 'foreign' })
    const template = await by.get('/flows/v1/part-imports/template')
    const { status, text, headers } = await by.get('/flows/v1/part-imports/export')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(text).toStartWith(template.text)
    expect(text.slice(template.text.length).split('\r\n')).toEqual([
      "'-7,''=quoted,,metal,,,,,,,,,,",
      `A-1,'=SUM(A1),"one\ntwo, ""three""",,,,,,,,,,,`,
      '',
    ])
    const again = await by.post<PartImport>('/flows/v1/part-imports', text, { 'content-type': 'text/csv' })
    expect([again.status, again.body.unchanged, again.body.updated]).toEqual([200, 2, 0])
  })

  test('of an organization without parts is the header', async () => {
    const empty = await market.organization(['IP_OWNER'])
    const { text } = await empty.administrator.client.get('/flows/v1/part-imports/export')
    expect(text.trim()).toBe(
      '\ufeffexternalRef,title,description,materialType,materialId,processId,materialNote,processNote,rapidManufacturingMaterial,exemptionsNotes,documentationRequirementNotes,otherRequirementNotes,descriptionManufacturer,unitSystem'.trim(),
    )
  })
})
