import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Part, PartInput } from '../../../proto/http/sourcing/parts.ts'
import type { Upload } from '../../../proto/http/sourcing/uploads.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { drawingSheet, envelopeModel } from './drawings.ts'
import type { Fixtures } from './people.ts'
import { type DemoDeps, expectOk, signedIn } from './requests.ts'
import { type DemoOrganization, type DemoPart, emailOf } from './story.ts'

/** Creates and publishes an organization's parts over HTTP, signed in as the member of the organization. */
export async function ensureParts(deps: DemoDeps, org: DemoOrganization, fixtures: Fixtures): Promise<void> {
  if (!org.parts) return
  const client = await signedIn(deps, emailOf(org.people.member, org))
  const listed = await client.get<{ items: Part[] }>('/v1/parts?view=IP_OWNER&pageSize=50')
  const present = new Map(listed.body.items.map((part) => [part.externalRef ?? part.title, part]))
  for (const part of org.parts) await ensurePart(client, part, fixtures, present)
}

/** The requests that lead to each state. */
const VERBS = { DRAFT: [], PUBLISHED: ['publish'], ARCHIVED: ['publish', 'archive'] } as const

async function ensurePart(client: ApiClient, part: DemoPart, fixtures: Fixtures, present: Map<unknown, Part>) {
  const { businessUnit, customOption, input, state } = part
  const unit = businessUnit === undefined ? undefined : fixtures.businessUnits.get(businessUnit)
  const option = customOption && fixtures.options.get(customOption.join('/'))
  const body = {
    ...input,
    ...(unit ? { businessUnitIds: [unit] } : {}),
    ...(option ? { customFields: [option] } : {}),
  }
  const known = present.get(input.externalRef ?? input.title)
  const id = known?.id ?? (await expectOk(client.post<{ id: string }>('/v1/parts', body))).id
  await ensureFiles(client, id, input)
  if (known && known.state !== 'DRAFT') return
  for (const verb of VERBS[state]) await expectOk(client.post(`/flows/v1/parts/${id}/${verb}`))
}

/** Adds a model of the bounding box and a drawing to a part without files. */
async function ensureFiles(
  client: ApiClient,
  partId: string,
  { title = '', externalRef = title, boundingBox }: PartInput,
) {
  const { x, y, z } = boundingBox ?? {}
  const path = `/v1/parts/${partId}/files`
  const { items } = await expectOk(client.get<{ items: File[] }>(path))
  if (items.length > 0 || x === undefined || y === undefined || z === undefined) return
  const model = await upload(client, `${externalRef}.stl`, envelopeModel(title, { x, y, z }))
  const drawing = await upload(client, `${externalRef}.pdf`, drawingSheet(title, externalRef, { x, y, z }))
  const add = [
    { uploadId: model, group: 'preview' },
    { uploadId: drawing, group: 'document' },
  ]
  await expectOk(client.send('PATCH', path, { body: { add } }))
}

async function upload(client: ApiClient, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { id, uploadUrl, method, headers } = await expectOk(client.post<Upload>('/v1/uploads', { name, public: false }))
  const { ok, status } = await fetch(uploadUrl, { method, headers, body: bytes })
  if (!ok) throw new Error(`The bytes of ${name} were refused: ${status}`)
  return id
}
