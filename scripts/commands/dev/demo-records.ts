import { expect } from 'bun:test'
import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { OfferState } from '../../../proto/states/offers.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { AccountsFile, DemoAccount } from '../seed/accounts.ts'

/** For tests: the records of the demo, read over HTTP with its accounts. */
export class DemoRecords {
  readonly #address: string

  constructor(address: string) {
    this.#address = address
  }

  signIn({ organizations }: AccountsFile): Promise<string> {
    return this.signInAs(organizations.flatMap(({ accounts }) => accounts)[0])
  }

  async signInAs({ email, password }: Partial<DemoAccount> = {}): Promise<string> {
    const answer = await fetch(`${this.#address}/v2.3/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username: email, password }),
    })
    expect(answer.status).toBe(200)
    const { access_token } = (await answer.json()) as { access_token: string }
    return access_token
  }

  async list<Item>(token: string, path: string): Promise<Item[]> {
    const answer = await fetch(`${this.#address}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    const { items } = (await answer.json()) as { items: Item[] }
    return items
  }

  listParts(token: string) {
    return this.list(token, '/v1/parts')
  }

  /** The states of the orders that the organizations of the demo see in the view of each of their roles. */
  async orderStates({ organizations }: AccountsFile): Promise<Map<string, Set<OrderState>>> {
    const states = new Map<string, Set<OrderState>>()
    for (const { roles, accounts } of organizations) {
      const token = await this.signInAs(accounts[0])
      for (const role of roles) {
        const orders = await this.list<Order>(token, `/v1/orders?view=${role}&pageSize=50`)
        states.set(role, new Set([...(states.get(role) ?? []), ...orders.map(({ state }) => state)]))
      }
    }
    return states
  }

  /** The cases of all organizations of the demo. */
  async listCases({ organizations }: AccountsFile): Promise<Case[]> {
    const lists = organizations.map(async ({ accounts }) =>
      this.list<Case>(await this.signInAs(accounts[0]), '/flows/v1/cases?pageSize=50'),
    )
    return (await Promise.all(lists)).flat()
  }

  /**
   * The number of assignments that the manufacturers of the demo have, of archived ones, and of records of each kind.
   */
  async assignments({ organizations }: AccountsFile) {
    const counts = { assignments: 0, orders: 0, archived: 0, contacts: 0, 'billing-details': 0, extensions: 0 }
    for (const { accounts } of organizations.filter(({ roles }) => roles.includes('MANUFACTURER'))) {
      const token = await this.signInAs(accounts[0])
      counts.orders += (await this.list(token, '/v1/orders?view=MANUFACTURER&pageSize=50')).length
      for (const { id, archived } of await this.list<Assignment>(token, '/flows/v1/assignments?pageSize=50')) {
        counts.assignments++
        counts.archived += Number(archived)
        for (const kind of ['contacts', 'billing-details', 'extensions'] as const) {
          counts[kind] += (await this.list(token, `/flows/v1/assignments/${id}/${kind}`)).length
        }
      }
    }
    return counts
  }

  /** The states of the offers that the manufacturers of the demo made. */
  async offerStates({ organizations }: AccountsFile): Promise<OfferState[]> {
    const makers = organizations.filter(({ roles }) => roles.includes('MANUFACTURER'))
    const offers = await Promise.all(
      makers.map(async ({ accounts }) => this.list<Offer>(await this.signInAs(accounts[0]), '/v1/offers?pageSize=50')),
    )
    return [...new Set(offers.flat().map(({ state }) => state))].toSorted()
  }
}
