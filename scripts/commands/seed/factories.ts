import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import { type DemoDeps, signedIn } from './requests.ts'
import { type DemoOrganization, emailOf } from './story.ts'

/** Creates the factories of a manufacturer over HTTP, where they are missing, and returns the ids by name. */
export async function ensureFactories(deps: DemoDeps, org: DemoOrganization): Promise<[name: string, id: string][]> {
  if (!org.factories) return []
  const client = await signedIn(deps, emailOf(org.people.member, org))
  const listed = await client.get<{ items: Factory[] }>('/v1/factories?view=MANUFACTURER&pageSize=50')
  const ids = new Map(listed.body.items.map(({ name, id }) => [name, id]))
  for (const factory of org.factories) {
    if (ids.has(factory.name)) continue
    const { status, body, text } = await client.post<Factory>('/flows/v1/factories', factory)
    if (status !== 201) throw new Error(`The demo was refused: ${status} ${text}`)
    ids.set(factory.name, body.id)
  }
  return [...ids]
}

/** Releases factories to the organizations that are engaged through a distributor. */
export async function ensureReleases(
  deps: DemoDeps,
  org: DemoOrganization,
  orgIds: ReadonlyMap<string, string>,
  factoryIds: ReadonlyMap<string, string>,
): Promise<void> {
  if (!org.releases) return
  const client = await signedIn(deps, emailOf(org.people.member, org))
  for (const { factory, to } of org.releases) {
    const path = `/flows/v1/factories/${factoryIds.get(factory)}/release`
    const { status, text } = await client.post(path, { orgId: orgIds.get(to) })
    // 409: an earlier run released it.
    if (status !== 200 && status !== 409) throw new Error(`The demo was refused: ${status} ${text}`)
  }
}
