import { describe, expect, test } from 'bun:test'
import { GROUP, scimWorld, USER } from '../../testing/scim.ts'

/** The requests of Okta, in its order and spelling. */
const { admin, domain, full: okta } = await scimWorld()

/** A user as Okta sends one. */
const newUser = (local: string, more: object = {}) => ({
  schemas: [USER],
  userName: `${local}@${domain}`,
  name: { givenName: 'Ane', familyName: 'Krogh' },
  emails: [{ primary: true, value: `${local}@${domain}`, type: 'work' }],
  displayName: 'Ane Krogh',
  locale: 'en-US',
  externalId: `00u-${local}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...more,
})

describe('the lists', () => {
  test('of users are read in pages of 100 with the total', async () => {
    for (const local of ['a1', 'a2', 'a3']) await okta.created('/Users', newUser(local))
    const all = await okta.get('/Users?startIndex=1&count=100')
    const { totalResults, startIndex, itemsPerPage, Resources } = all.body
    expect([all.status, totalResults, startIndex, itemsPerPage]).toEqual([200, 3, 1, 3])
    expect(Resources.map(({ userName }) => userName)).toEqual(['a1', 'a2', 'a3'].map((local) => `${local}@${domain}`))
    const second = (await okta.get('/Users?startIndex=2&count=1')).body
    expect([second.totalResults, second.startIndex, second.itemsPerPage]).toEqual([3, 2, 1])
    expect(second.Resources.map(({ id }) => id)).toEqual([Resources[1]?.id as string])
  })

  test.each([
    ['startIndex=0&count=1', [3, 1, 1]],
    ['startIndex=-5&count=1', [3, 1, 1]],
    ['startIndex=4&count=100', [3, 4, 0]],
    ['startIndex=9007199254740991&count=100', [3, 2147483647, 0]],
    ['count=0', [3, 1, 0]],
    ['count=-1', [3, 1, 0]],
    ['count=5000', [3, 1, 3]],
  ])('of users with %s have total, start and number %j', async (query, expected) => {
    const { status, body } = await okta.get(`/Users?${query}`)
    expect([status, body.totalResults, body.startIndex, body.itemsPerPage]).toEqual([200, ...expected])
  })

  test('of groups have the roles of the organization with their members', async () => {
    const { status, body } = await okta.get('/Groups?startIndex=1&count=100')
    expect([status, body.itemsPerPage]).toEqual([200, body.totalResults])
    const owner = body.Resources.find(({ displayName }) => displayName === 'IP owner')
    expect(owner?.members).toEqual([])
  })

  test('have the attributes that are asked for', async () => {
    const { body } = await okta.get('/Users?attributes=userName,Name.givenName&count=1')
    expect<object[]>(body.Resources).toEqual([
      {
        schemas: [USER],
        id: expect.any(String),
        userName: `a1@${domain}`,
        name: { formatted: 'Ane Krogh', givenName: 'Ane', familyName: 'Krogh' },
      },
    ])
  })
})

describe('a user', () => {
  test('is looked up, created, replaced, deactivated and reactivated', async () => {
    const lookUp = await okta.get(`/Users?filter=userName%20eq%20%22bo%40${domain}%22&startIndex=1&count=100`)
    expect([lookUp.status, lookUp.body.totalResults]).toEqual([200, 0])
    const created = await okta.post('/Users', newUser('bo'))
    expect([created.status, created.body.active, created.text.includes('1mz050nq')]).toEqual([201, true, false])
    const { id } = created.body

    const replaced = await okta.put(`/Users/${id}`, {
      ...newUser('bo.krogh', { name: { givenName: 'Bo', familyName: 'Krogh' } }),
      id,
      meta: created.body.meta,
    })
    expect([replaced.status, replaced.body.userName, replaced.body.name.givenName]).toEqual([
      200,
      `bo.krogh@${domain}`,
      'Bo',
    ])
    expect(replaced.headers.get('etag')).toBe(replaced.body.meta.version)

    const off = await okta.operate(`/Users/${id}`, { op: 'replace', value: { active: false } })
    expect([off.status, off.body.active]).toEqual([200, false])
    const on = await okta.put(`/Users/${id}`, newUser('bo.krogh', { active: true }))
    expect([on.status, on.body.active]).toEqual([200, true])
    const again = await okta.put(`/Users/${id}`, newUser('bo.krogh', { active: true }))
    expect(again.text).toBe(on.text)
  })

  test('keeps what a PUT does not name', async () => {
    const { id, meta, ...user } = await okta.created('/Users', newUser('cai'))
    const { status, body } = await okta.put(`/Users/${id}`, { schemas: [USER], userName: user.userName })
    expect([status, body.externalId, body.name, body.active, body.meta.version]).toEqual([
      200,
      '00u-cai',
      user.name,
      true,
      meta.version,
    ])
  })

  test('that is created inactive is inactive', async () => {
    const { id, active } = await okta.created('/Users', newUser('dan', { active: false }))
    expect(active).toBe(false)
    expect((await admin.get<{ active: boolean }>(`/v1/users/${id}`)).body.active).toBe(false)
  })

  test('without a name has that of its address', async () => {
    const { name } = await okta.created('/Users', { schemas: [USER], userName: `eva@${domain}` })
    expect(name).toEqual({ formatted: 'eva eva', givenName: 'eva', familyName: 'eva' })
  })
})

describe('a group', () => {
  const member = ({ id, userName }: { id: string; userName: string }) => ({ value: id, display: userName })

  test('is pushed, and its members are replaced as a whole', async () => {
    const one = await okta.created('/Users', newUser('f1'))
    const two = await okta.created('/Users', newUser('f2'))
    const lookUp = await okta.get('/Groups?filter=displayName%20eq%20%22Planners%22&startIndex=1&count=100')
    expect(lookUp.body.totalResults).toBe(0)
    const created = await okta.post('/Groups', { schemas: [GROUP], displayName: 'Planners', members: [member(one)] })
    const { id } = created.body
    expect([created.status, created.body.members.map(({ value }) => value)]).toEqual([201, [one.id]])

    const body = { schemas: [GROUP], id, displayName: 'Planners', members: [member(two)] }
    const replaced = await okta.put(`/Groups/${id}`, body)
    expect([replaced.status, replaced.body.members.map(({ value }) => value)]).toEqual([200, [two.id]])

    const replace = { op: 'replace', path: 'members', value: [member(one), member(two)] }
    expect((await okta.operate(`/Groups/${id}`, replace)).status).toBe(204)
    expect((await okta.get(`/Groups/${id}`)).body.members.length).toBe(2)
    const rename = { op: 'replace', value: { id, displayName: 'Planning' } }
    expect((await okta.operate(`/Groups/${id}`, rename)).status).toBe(204)
    const renamed = await okta.put(`/Groups/${id}`, { schemas: [GROUP], displayName: 'Planning department' })
    expect([renamed.body.displayName, renamed.body.members.length]).toEqual(['Planning department', 2])

    const emptied = await okta.put(`/Groups/${id}`, { ...body, displayName: 'Planning department', members: [] })
    expect(emptied.body.members).toEqual([])
    expect((await okta.delete(`/Groups/${id}`)).status).toBe(204)
  })

  test('with a name that is taken or reserved is 409', async () => {
    await okta.created('/Groups', { schemas: [GROUP], displayName: 'Buyers here', externalId: 'g-1' })
    for (const group of [
      { displayName: 'Buyers here' },
      { displayName: 'administrator' },
      { displayName: 'Another', externalId: 'g-1' },
    ]) {
      const { status, body } = await okta.post('/Groups', { schemas: [GROUP], ...group })
      expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    }
  })
})
