import { describe, expect, test } from 'bun:test'
import type { Person } from '../../../proto/http/organization/users.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { act, type Page, type Problem } from '../../testing/people.ts'

const market = await marketplaceOf([])
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client, userId: administratorId } = org.administrator

const list = (query = '', by: ApiClient = client) => by.get<Page<Person> & Problem>(`/flows/v1/users?${query}`)
const peopleOf = async (query = '', by: ApiClient = client) => (await list(`pageSize=50&${query}`, by)).body.items
const personOf = async (id: string) => (await peopleOf()).find((person) => person.id === id)

interface NewUser {
  id: string
  activationUrl: string
}

const invite = async (email: string) => {
  const body = { email, givenName: 'Ada', familyName: 'Lind' }
  return (await client.post<NewUser>('/flows/v1/users', body)).body
}
const choosePassword = async ({ activationUrl }: Pick<NewUser, 'activationUrl'>) => {
  const token = activationUrl.slice(activationUrl.indexOf('#') + 1)
  const { status } = await market.anonymous.post('/flows/v1/activations', { token, password: 'a long enough password' })
  expect(status).toBe(204)
}

describe('GET /flows/v1/users', () => {
  test('lists the people by e-mail address, without service accounts and without other organizations', async () => {
    const account = await client.post<{ id: string }>('/flows/v1/service-accounts', { name: 'Connector' })
    const { id } = await invite('zoe@people.example')
    const items = await peopleOf()
    expect(items.map((person) => person.id)).toEqual([administratorId, id])
    const all = (await client.get<Page<{ id: string }>>('/v1/users?pageSize=50')).body.items
    expect(all.map((user) => user.id)).toContain(account.body.id)
    expect(items.map((person) => person.id)).not.toContain(stranger.administrator.userId)
  })

  test('a page is full though service accounts lie between the people', async () => {
    const crowd = await market.organization(['IP_OWNER'])
    const by = crowd.administrator.client
    for (const name of ['one', 'two', 'three']) await by.post('/flows/v1/service-accounts', { name })
    await crowd.invite()
    const { items, hasMore } = (await list('pageSize=1', by)).body
    const second = (await list('pageSize=1&page=2', by)).body
    expect([items.length, hasMore, second.items.length, second.hasMore]).toEqual([1, true, 1, false])
  })

  test('a person is invited until the password is chosen, and again after a reset', async () => {
    const person = await invite('maja@people.example')
    expect(await personOf(person.id)).toMatchObject({ active: true, invited: true, admin: false })
    await choosePassword(person)
    expect(await personOf(person.id)).toMatchObject({ active: true, invited: false })
    const reset = await client.post<{ activationUrl: string }>(`/flows/v1/users/${person.id}/reset-password`, {})
    expect(await personOf(person.id)).toMatchObject({ active: true, invited: true })
    await choosePassword(reset.body)
    expect(await personOf(person.id)).toMatchObject({ active: true, invited: false })
    expect(await personOf(administratorId)).toMatchObject({ invited: false, admin: true })
  })

  test('a deactivated person is not invited', async () => {
    const { id } = await invite('nils@people.example')
    await act(client, id, 'deactivate')
    expect(await personOf(id)).toMatchObject({ active: false, invited: false })
  })

  test('q and active filter', async () => {
    const { id } = await invite('quentin@people.example')
    expect((await peopleOf('q=QUENTIN')).map((person) => person.id)).toEqual([id])
    expect(await peopleOf('q=quentin&active=false')).toEqual([])
    await act(client, id, 'deactivate')
    expect((await peopleOf('q=quentin&active=false')).map((person) => person.id)).toEqual([id])
  })

  test('without a permission to administer people it is 403', async () => {
    const member = await org.member('IP owner')
    const answer = await list('', member.client)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
  })

  test('admin and phone are shown to administrators, and to others only of themselves', async () => {
    const manager = await org.member(['user:manage'])
    const seen = await peopleOf('', manager.client)
    expect(seen.filter((person) => 'admin' in person).map(({ id }) => id)).toEqual([manager.userId])
    expect(seen.every((person) => 'invited' in person)).toBe(true)
  })
})
