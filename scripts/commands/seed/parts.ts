import type { Marketplace, PartInput } from '../../../proto/clients/typescript/src/index.ts'
import { type Company, companyOf, type Demo } from './companies.ts'
import { drawingSheet, hubModel } from './drawings.ts'
import { type DemoOrganization, ORGANIZATIONS } from './story.ts'

/** Creates the parts with their files, and the factories with their releases. */
export async function createPartsAndFactories(demo: Demo): Promise<void> {
  for (const org of ORGANIZATIONS) {
    const company = companyOf(demo, org.key)
    await createParts(company, org)
    for (const body of org.factories ?? []) {
      company.factoryIds.set(body.name, (await company.member.POST('/flows/v1/factories', { body })).data.id)
    }
  }
  for (const { key, releases = [] } of ORGANIZATIONS) {
    for (const { factory, to } of releases) {
      const params = { path: { id: factoryNamed(demo, factory) } }
      const body = { orgId: companyOf(demo, to).orgId }
      await companyOf(demo, key).member.POST('/flows/v1/factories/{id}/release', { params, body })
    }
  }
}

export function factoryNamed({ companies }: Demo, name: string): string {
  const [id] = [...companies.values()].flatMap(({ factoryIds }) => factoryIds.get(name) ?? [])
  if (!id) throw new Error(`The demo has no factory ${name}.`)
  return id
}

export function partNamed({ companies }: Demo, externalRef: string): string {
  const [id] = [...companies.values()].flatMap(({ partIds }) => partIds.get(externalRef) ?? [])
  if (!id) throw new Error(`The demo has no part ${externalRef}.`)
  return id
}

async function createParts({ administrator, member, partIds }: Company, org: DemoOrganization): Promise<void> {
  const unitIds = new Map<string, string>()
  for (const name of org.businessUnits ?? []) {
    unitIds.set(name, (await administrator.POST('/flows/v1/business-units', { body: { name } })).data.id)
  }
  const options = new Map<string, { fieldId: string; optionId: string }>()
  for (const { name, options: names } of org.customFields ?? []) {
    const body = { name, options: names.map((option) => ({ name: option })) }
    const { data: field } = await administrator.POST('/flows/v1/custom-fields', { body })
    for (const option of field.options)
      options.set(`${name}/${option.name}`, { fieldId: field.id, optionId: option.id })
  }
  for (const { state, businessUnit = '', customOption = [], input } of org.parts ?? []) {
    const [unit, option] = [unitIds.get(businessUnit), options.get(customOption.join('/'))]
    const body = { ...input, ...(unit && { businessUnitIds: [unit] }), ...(option && { customFields: [option] }) }
    const { data: part } = await member.POST('/v1/parts', { body })
    await addFiles(member, part.id, input)
    const params = { path: { id: part.id } }
    if (state !== 'DRAFT') await member.POST('/flows/v1/parts/{id}/publish', { params })
    if (state === 'ARCHIVED') await member.POST('/flows/v1/parts/{id}/archive', { params })
    partIds.set(input.externalRef ?? '', part.id)
  }
}

/** Adds a model of the bounding box, and a drawing. */
async function addFiles(
  member: Marketplace,
  id: string,
  { title = '', externalRef = '', boundingBox }: PartInput,
): Promise<void> {
  const { x, y, z } = boundingBox ?? {}
  if (x === undefined || y === undefined || z === undefined) return
  const model = await member.upload(hubModel(title, { x, y, z }), { name: `${externalRef}.stl` })
  const drawing = await member.upload(drawingSheet(title, externalRef, { x, y, z }), { name: `${externalRef}.pdf` })
  const add = [
    { uploadId: model.id, group: 'preview' as const },
    { uploadId: drawing.id, group: 'document' as const },
  ]
  await member.PATCH('/v1/parts/{id}/files', { params: { path: { id } }, body: { add } })
}
