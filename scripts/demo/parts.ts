import type { Part } from '../../proto/http/sourcing/parts.ts'
import { ApiClient } from '../../services/kit/testing/client.ts'
import { type DemoDeps, demoPassword, type Fixtures } from './people.ts'
import { type DemoOrganization, type DemoPart, emailOf } from './story.ts'

/** Creates and publishes an organization's parts over HTTP, signed in as the member whose work it is. */
export async function ensureParts(deps: DemoDeps, org: DemoOrganization, fixtures: Fixtures): Promise<void> {
  if (!org.parts) return
  const email = emailOf(org.people.member, org)
  const client = new ApiClient(deps.baseUrl)
  await client.signIn(email, demoPassword(deps.secret, email))
  const listed = await client.get<{ items: Part[] }>('/v1/parts?view=IP_OWNER&pageSize=50')
  const present = new Map(listed.body.items.map((part) => [part.externalRef ?? part.title, part]))
  for (const part of org.parts) await ensurePart(client, part, fixtures, present)
}

async function ensurePart(client: ApiClient, part: DemoPart, fixtures: Fixtures, present: Map<unknown, Part>) {
  const { businessUnit, choice, input, published } = part
  const unit = businessUnit === undefined ? undefined : fixtures.businessUnits.get(businessUnit)
  const option = choice && fixtures.options.get(choice.join('/'))
  const body = {
    ...input,
    ...(unit ? { businessUnitIds: [unit] } : {}),
    ...(option ? { customFields: [option] } : {}),
  }
  const known = present.get(input.externalRef ?? input.title)
  const id = known?.id ?? (await expectOk(client.post<{ id: string }>('/v1/parts', body))).id
  if (published && (known === undefined || known.state === 'DRAFT')) {
    await expectOk(client.post(`/flows/v1/parts/${id}/publish`))
  }
}

async function expectOk<T>(answer: Promise<{ status: number; text: string; body: T }>): Promise<T> {
  const { status, text, body } = await answer
  if (status !== 200) throw new Error(`The demo was refused: ${status} ${text}`)
  return body
}
