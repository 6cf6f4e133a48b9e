import { createHmac } from 'node:crypto'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { emailOf, ORGANIZATIONS } from './story.ts'

export interface DemoDeps {
  /** Connects with the role of the organization service. */
  sql: Pool
  baseUrl: string
  /** Passwords derive from it, so they are the same in every run of one checkout. */
  secret: string
}

/** A readable password of four groups with 80 bits. */
export function demoPassword(secret: string, email: string): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789z'
  const bytes = createHmac('sha256', secret).update(`demo password of ${email}`).digest().subarray(0, 16)
  const letters = Array.from(bytes, (byte) => alphabet[byte % 32]).join('')
  return letters.replaceAll(/.{4}(?!$)/g, '$&-')
}

export async function signedIn({ baseUrl, secret }: DemoDeps, email: string): Promise<ApiClient> {
  const client = new ApiClient(baseUrl)
  await client.signIn(email, demoPassword(secret, email))
  return client
}

/** The clients of the members of organizations by the key of each; a member signs in once. */
export type Clients = (key: string) => Promise<ApiClient>

export function memberClients(deps: DemoDeps): Clients {
  const clients = new Map<string, ApiClient>()
  return async (key) => {
    const client = clients.get(key) ?? (await signedIn(deps, memberOf(key)))
    clients.set(key, client)
    return client
  }
}

function memberOf(key: string): string {
  const org = ORGANIZATIONS.find((one) => one.key === key)
  if (!org) throw new Error(`The demo has no organization ${key}`)
  return emailOf(org.people.member, org)
}

/** The id of a published part by its external reference. */
export async function partNamed(client: ApiClient, externalRef: string): Promise<string> {
  const { items } = await expectOk(client.get<{ items: Part[] }>(`/v1/parts?q=${encodeURIComponent(externalRef)}`))
  const found = items.find((part) => part.externalRef === externalRef)
  if (!found) throw new Error(`The demo has no published part ${externalRef}`)
  return found.id
}

export async function expectOk<T>(answer: Promise<{ status: number; text: string; body: T }>): Promise<T> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`The demo was refused: ${status} ${text}`)
  return body
}
